using .Rosetta: JSONError, parse_json, write_json

written(value) = sprint(write_json, value)

@testset "JSON is read" begin
    @test parse_json(" {\"a\" : [1, -2, true, false, null], \"\": {}} \n") ==
          Dict("a" => [1, -2, true, false, nothing], "" => Dict())
    @test parse_json("[]") == [] && parse_json("{ }") == Dict()
    @test parse_json("9223372036854775807") === typemax(Int)
    @test parse_json("123456789012345678901234567890") == big"123456789012345678901234567890"
    @test parse_json("-0") === 0 && parse_json("-0.0") === -0.0
    @test parse_json("1e-3") === 1e-3 && parse_json("2.5E+1") === 25.0 && parse_json("1e-400") === 0.0
    @test parse_json("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9\\uD83D\\uDE00\"") == "\"\\/\b\f\n\r\t\0é😀"
    @test parse_json("\"é😀\u7f\u2028\"") == "é😀\u7f\u2028"
    @test parse_json("{\"a\": 1, \"a\": 2}") == Dict("a" => 2)
    @test parse_json("["^400 * "]"^400) isa Vector
end

@testset "not JSON" begin
    for (text, message, line, column) in [
        ("", "the text ends where a value is due", 1, 1),
        ("[1,]", "no value begins with ']'", 1, 4),
        ("[1 2]", "',' or ']' is due", 1, 4),
        ("[1", "',' or ']' is due", 1, 3),
        ("{\"a\" 1}", "':' is due", 1, 6),
        ("{1: 2}", "a name in quotation marks is due", 1, 2),
        ("{\"a\": 1,}", "a name in quotation marks is due", 1, 9),
        ("01", "not a number as JSON spells it", 1, 2),
        ("1.", "not a number as JSON spells it", 1, 2),
        (".5", "no value begins with '.'", 1, 1),
        ("+1", "no value begins with '+'", 1, 1),
        ("-", "a digit is due", 1, 1),
        ("1e400", "a number too large", 1, 6),
        ("NaN", "no value begins with 'N'", 1, 1),
        ("nul", "no value begins with 'n'", 1, 1),
        ("'a'", "no value begins with '\\''", 1, 1),
        ("[1] x", "there is more text after the value", 1, 5),
        ("[1]\0", "there is more text after the value", 1, 4),
        ("\ufeff1", "no value begins with '\\ufeff'", 1, 1),
        ("\"abc", "the text ends too early", 1, 5),
        ("\"a\\x\"", "no escape begins with \\x", 1, 5),
        ("\"\\u12G4\"", "four hexadecimal digits are due", 1, 7),
        ("\"\\ud83d\"", "half of a surrogate pair", 1, 8),
        ("\"\\ude00\"", "half of a surrogate pair", 1, 8),
        ("\"\\ud83d\\u0041\"", "half of a surrogate pair", 1, 14),
        ("\"a\tb\"", "a control character in a string", 1, 4),
        ("{\n\"é\": tru}", "no value begins with 't'", 2, 6),
        ("["^600, "more than 500 levels", 1, 502),
    ]
        error = try
            parse_json(text)
        catch caught
            caught
        end
        @test error == JSONError(message, line, column)
    end
end

@testset "not UTF-8" begin
    @test_throws JSONError parse_json("\"\xff\"")
end

@testset "JSON is written" begin
    @test written(Dict("a" => Any[1, true, nothing])) == "{\"a\": [1, true, null]}"
    @test written([0.1, 1e30, -0.0]) == "[0.1, 1.0e30, -0.0]"
    @test written(0.1f0) == "0.10000000149011612"
    @test parse_json(written("\"\\\n\t\u1é😀")) == "\"\\\n\t\u1é😀"
    @test parse_json(written("\xff")) == "\ufffd"
    @test_throws ArgumentError written(NaN)
    @test_throws ArgumentError written([1.0f0, Inf32])
end

@testset "what is written is read again" begin
    random = MersenneTwister(1)
    for _ in 1:1000
        number = reinterpret(Float64, rand(random, UInt64))
        isfinite(number) && @test parse_json(written(number)) === number
    end
end
