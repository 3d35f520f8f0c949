"""Python's harness: reads a job, lets an implementation work under the clock, writes the record.

It needs the standard library and NumPy alone and runs on Python 3.7, so that it can drive the frameworks of 2018 too.
"""
