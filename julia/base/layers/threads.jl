# One thread, one share of the work.

"""
    shares(count, parts)

Split `1:count` in `parts` ranges whose lengths differ by at most 1.
"""
shares(count, parts) = [share(count, parts, part) for part in 1:parts]

share(count, parts, part) = (count * (part - 1) ÷ parts + 1):(count * part ÷ parts)

"""
    each_share(work, count, parts = Threads.nthreads())

Call `work(part, range)` for each of `parts` shares of `1:count`, each on a thread of its own, and wait for all.
"""
function each_share(work::Work, count, parts = Threads.nthreads()) where {Work}
    if parts == 1
        work(1, 1:count)
    else
        Threads.@threads for part in 1:parts
            work(part, share(count, parts, part))
        end
    end
    return nothing
end
