using .Rosetta: accuracy, digest, map_tensor, options, refusal, require_losses, require_outputs, UnavailableError

@testset "tensors are mapped, not copied" begin
    mktempdir() do folder
        path = joinpath(folder, "tensor")
        write(path, zeros(UInt8, 16), Int32.(1:24))
        place = Dict("path" => path, "offset" => 16, "dtype" => "int32", "shape" => [2, 3, 4])
        tensor = map_tensor(place)
        # Row-major (2, 3, 4) is (4, 3, 2) here.
        @test size(tensor) == (4, 3, 2) && tensor[2, 3, 1] == 10 && tensor[:, 1, 2] == 13:16
        @test (@allocated map_tensor(place)) < 10_000
        tensor = nothing
        @test_throws ErrorException map_tensor(merge(place, Dict("shape" => [2, 3, 5])))
        GC.gc()
    end
end

@testset "options" begin
    job = Dict("device" => "cpu", "precision" => "float32", "compile" => false, "threads" => 2, "seed" => 1)
    settings = options(job, Dict("batch_size" => 64, "mean" => Any[0.5, 0.25]))
    @test settings.threads == 2 && settings.batch_size == 64 && settings.mean isa Vector{Float64}
end

@testset "answers" begin
    @test require_losses([1.0, 2.0], 2) === nothing
    @test_throws ErrorException require_losses([1.0], 2)
    @test_throws ErrorException require_losses([1.0, NaN], 2)
    @test require_outputs(ones(10, 3), 3) === nothing
    @test_throws ErrorException require_outputs(ones(3, 10), 3)
    @test_throws ErrorException require_outputs([1.0 Inf], 2)
    @test accuracy([1 0 3; 2 1 0], [1, 1, 1]) == 2 / 3
    found = digest(Float32[1 2; 3 4])
    @test found["mean"] == 2.5 && found["deviation"] ≈ sqrt(1.25)
end

@testset "refusals" begin
    refused(work, packages = String[]) =
        try
            work()
        catch error
            refusal(error, catch_backtrace(), packages, @__DIR__)["error"]
        end
    error_at = @__LINE__() + 1
    told = refused(() -> error("no\nsuch layer"))
    @test told["status"] == "failed" && told["message"] == "ErrorException: no such layer"
    @test told["where"] == "test/harness.jl:$error_at"
    @test refused(() -> throw(UnavailableError("no GPU")))["status"] == "unavailable"
    missing_package() = Base.require(Main, :NoSuchPackage)
    @test refused(missing_package, ["NoSuchPackage"])["status"] == "unavailable"
    @test refused(missing_package)["status"] == "failed"
    # What tasks wrap is unwrapped.
    task_at = @__LINE__() + 1
    fails() = error("in a task")
    of_task = refused(() -> fetch(@async fails()))
    @test of_task["message"] == "ErrorException: in a task" && of_task["where"] == "test/harness.jl:$task_at"
    @test length(refused(() -> error("a"^5000))["message"]) == 1000
end
