"""Numbers as people read them. Nothing is rounded further than the text says."""

import math

DIGITS = 3  # significant ones


def significant(value: float, digits: int = DIGITS) -> str:
    """A number with so many significant digits at least; whole digits are never dropped: 0.0123, 5.47, 1,234."""
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # after rounding: 9.999 is 10.0
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def seconds(value: float) -> str:
    """A time in seconds: 59.5 ms, 1.56 s."""
    if value == 0:
        return "0 s"
    return f"{significant(value * 1000)} ms" if value < 0.1 else f"{significant(value)} s"


def megabytes(value: float) -> str:
    """A size in bytes, in millions of them."""
    return f"{value / 1e6:,.0f} MB"


def percent(value: float) -> str:
    """A share of 1, with one digit after the point."""
    return f"{value:.1%}".replace("%", "\N{NARROW NO-BREAK SPACE}%")


def times(value: float) -> str:
    """A ratio: 1.02 ×."""
    return f"{significant(value)}\N{NARROW NO-BREAK SPACE}×"


def scientific(value: float) -> str:
    """A small number, two digits: 1.3·10⁻⁷."""
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}·{power_of_ten(int(exponent))}"


def difference(value: float) -> str:
    """A difference, two digits: 0.042, or 6.0·10⁻⁸ where that is shorter."""
    return significant(value, 2) if value == 0 or value >= 1e-3 else scientific(value)


def power_of_ten(exponent: int) -> str:
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def tick(value: float) -> str:
    """A number at an axis: exact, as short as it can be."""
    if value != 0 and (abs(value) >= 1e6 or abs(value) < 1e-3):
        exponent = math.floor(math.log10(abs(value)))
        mantissa = value / 10.0**exponent
        return power_of_ten(exponent) if math.isclose(mantissa, 1) else f"{mantissa:g}·{power_of_ten(exponent)}"
    return f"{value:,.10g}"
