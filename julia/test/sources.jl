@testset "every file can be read" begin
    for (folder, _, files) in walkdir(dirname(@__DIR__)), file in filter(name -> endswith(name, ".jl"), files)
        path = joinpath(folder, file)
        parsed = Base.parse_input_line(read(path, String); filename = path)
        wrong = filter(part -> Meta.isexpr(part, (:error, :incomplete)), parsed.args)
        @test Meta.isexpr(parsed, :toplevel) && isempty(wrong)
    end
end
