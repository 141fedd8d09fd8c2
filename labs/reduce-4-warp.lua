-- The fourth step of the reduction: the last warp works alone, correctly.
return lab {
  id = "reduce-4-warp",
  title = { en = "Reduction 4: the last warp", zh = "归约第四步：0 号 warp 收尾" },
  chapter = 4,
  minutes = 30,
  needs = { "reduce-3-idle" },
  source = "walk-through",
  teaches = {
    ["warp-race"] = "say ask exercise traps more",
    ["syncwarp-limits"] = "ask",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-30000, 30000, "n"),
    out = output("ceil_div(n, 512)"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 701 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct {
      points = 2,
      en = [[
        If the sums are wrong, a `__syncwarp()` may be missing: without it, the compiler may move a
        load up, so that the lane reads an old value. If a race is reported, put a `__syncwarp()`
        between one lane's write and the other lane's read. If the two lanes are in different warps,
        put a `__syncthreads()` there.
      ]],
      zh = [[
        如果求得的和不对，可能是缺少 `__syncwarp()`：没有 `__syncwarp()`，编译器可能把读取提前，lane
        就会读到旧值。如果报告了数据竞争，就在一个 lane 的写与另一个 lane 的读之间加上
        `__syncwarp()`；如果两个 lane 在不同的 warp 里，就要加 `__syncthreads()`。
      ]],
    },
    at_most("block_barriers", 0.45 * baseline) {
      points = 3,
      per = "thread",
      en = [[
        Only three block barriers (`__syncthreads()`) are needed: after the load, after the round
        with s = 128 and after the round with s = 64. Later, only warp 0 adds.
      ]],
      zh = [[
        只需要三次块级屏障（`__syncthreads()`）：读入之后、s = 128 那一轮之后、s = 64 那一轮之后。
        此后只有 0 号 warp 做加法。
      ]],
    },
    at_least("active_lanes_avg", 16) {
      points = 3,
      en = [[
        Most lanes have nothing to do: few threads add many elements, one after another. Share the
        elements of a sum among the threads of its block, and add them as a tree.
      ]],
      zh = [[
        大多数 lane 无事可做：少数几个线程逐个加很多元素。
        同一个和里的元素，应当由块里的各个线程分担，按树形相加。
      ]],
    },
    at_most("launches", 1) {
      points = 1,
      en = [[
        Use only one launch. The end of a launch is a barrier, too, so splitting the work into
        several launches does not count.
      ]],
      zh = "请只用一次启动。一次启动的结束也是屏障，所以拆成多次启动不算达到目标。",
    },
    at_most("atomics", 1 << 14) {
      points = 1,
      en = [[
        Add the elements in pairs, not by atomics: atomics on one word are done one after another.
        One atomic for each warp is allowed.
      ]],
      zh = [[
        元素应当成对相加，不要用原子操作：同一个字上的原子操作只能一个接一个地做。
        每个 warp 允许做一次。
      ]],
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        As in `reduce-3-idle`, each block sums 512 ints with 256 threads. After two rounds 64
        elements are left, and the 32 threads that add them are all in warp 0. The other seven warps
        still execute the loop. In each of the last six rounds they test the condition, skip the
        addition and wait at the barrier. You will end the loop early and let only warp 0 do the
        last rounds.

        But the lanes of a warp need not run *in step*. Since Volta (2017), lanes are scheduled
        independently, so lane 0 may read a word before lane 16 has written it. `__syncwarp()` is a
        barrier for the lanes of one warp: they wait there for each other. After the barrier, each
        lane sees what the other lanes wrote before the barrier. A `__syncwarp()` costs almost
        nothing.
      ]],
      zh = [[
        和 `reduce-3-idle` 一样，每个块用 256 个线程求 512 个 int 的和。做完两轮，还剩 64 个元素，
        负责相加的 32 个线程都在 0 号线程束（warp）里。另外七个 warp 仍在执行循环：
        最后六轮的每一轮，它们都要判断条件、跳过加法、在屏障处等待。你要提前结束循环，
        最后几轮只由 0 号 warp 完成。

        但一个 warp 的 lane 不一定*步调一致*。从 Volta（2017 年）起，
        各个 lane 独立调度：lane 0 读一个字时，lane 16 可能还没有写这个字。`__syncwarp()` 是一个
        warp 内的屏障，各 lane 在这里互相等待。屏障之前写入的内容，
        屏障之后其他 lane 都能看到。`__syncwarp()` 几乎不花时间。
      ]],
    },
    ask {
      en = [[
        A block of {b} threads runs the loop to its end. In the rounds with s = 32, 16, 8, 4, 2, 1,
        only one warp adds. How many barriers do the warps *without* an addition pass in these
        rounds? (Count each barrier once for each such warp.)
      ]],
      zh = [[
        一个 {b} 线程的块把循环走到底。在 s = 32、16、8、4、2、1 这几轮里，
        只有一个 warp 做加法。*不做加法*的 warp 在这几轮里一共经过多少次屏障？
        （一个屏障有几个这样的 warp 经过，就计几次。）
      ]],
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return 6 * (d.b // 32 - 1) end,
      replies = {
        {
          function(d) return 6 * d.b // 32 end,
          en = "You counted all warps of the block. One of them adds.",
          zh = "你算的是块里所有的 warp，其中有一个是做加法的。",
        },
        {
          function(d) return d.b // 32 - 1 end,
          en = "This is the number for one round. There are six such rounds.",
          zh = "这是一轮的次数。这样的轮共有六轮。",
        },
      },
      because = {
        en = [[
          The block has {b} / 32 warps, and one of them adds. Each of the others passes six
          barriers.
        ]],
        zh = "块有 {b} / 32 个 warp，其中一个做加法，其余的 warp 各过六次屏障。",
      },
    },
    ask {
      en = [[
        Many books write the steps of warp 0 like this, without any barrier:
        `volatile int *sum; sum[t] += sum[t + 16]; sum[t] += sum[t + 8]; ...` (t is the number of
        the lane.) Why is this code wrong on today's devices?
      ]],
      zh = [[
        许多书把 0 号 warp 的这几步写成
        `volatile int *sum; sum[t] += sum[t + 16]; sum[t] += sum[t + 8]; ……`（t 是 lane 的编号），
        中间没有任何屏障。这种写法为什么在今天的设备上是错的？
      ]],
      choices = {
        {
          en = [[
            Lane t may read `sum[t + 8]` before lane t + 8 has written it: `volatile` does not order
            the accesses of different lanes.
          ]],
          zh = [[
            lane t 读 `sum[t + 8]` 时，lane t + 8 可能还没有写这个字：
            `volatile` 不规定不同 lane 之间的先后。
          ]],
          right = true,
        },
        {
          en = "`volatile` sends every access to global memory.",
          zh = "`volatile` 会让每次访问都走全局内存。",
          because = {
            en = [[
              The accesses stay in shared memory. And global memory would make the code slower, not
              wrong.
            ]],
            zh = "访问仍在共享内存里。况且，访问全局内存只会变慢，不会出错。",
          },
        },
        {
          en = "Lanes 16 to 31 must not take part in the second step.",
          zh = "第二步不该让 lane 16 到 31 参加。",
          because = {
            en = [[
              The result does not depend on the sums of these lanes. Their additions are useless but
              harmless.
            ]],
            zh = "结果用不到这些 lane 求得的和。这些加法没有用，但也没有害处。",
          },
        },
      },
      because = {
        en = [[
          This is a *race*: one lane writes a word, another lane reads it, and nothing decides which
          comes first. The sum is often right, so the race is easy to miss. The simulated device
          reports many races even if every sum is right.
        ]],
        zh = [[
          这是*数据竞争*（race）：一个 lane 写一个字，另一个 lane 读这个字，而谁先谁后没有规定。结果
          往往是对的，所以竞争很难发现。即使所有结果都对，模拟设备也能报告许多数据竞争。
        ]],
      },
    },
    ask {
      en = [[
        Here are three versions of one step of the warp, which adds two words at distance s. Which
        version does the language guarantee, so that it is right on all future devices, too?
      ]],
      zh = [[
        warp 内的一步把相距 s 的两个字相加，下面是三种写法。哪一种由语言本身保证正确，
        因而在今后的任何设备上都成立？
      ]],
      choices = {
        {
          en = "`sum[t] += sum[t + s]; __syncwarp();`",
          zh = "`sum[t] += sum[t + s]; __syncwarp();`",
          because = {
            en = [[
              Nearly. If s = 16, lane 0 reads `sum[16]` and lane 16 writes `sum[16]` in this
              statement, in no defined order. On every device so far, the lanes run together after a
              `__syncwarp()`, so all of them read before any of them writes. The simulated device
              therefore accepts this version. But the language does not guarantee it.
            ]],
            zh = [[
              接近了，但不对。s = 16 时，在这一条语句里，lane 0 读 `sum[16]`，lane 16 写 `sum[16]`，
              先后没有规定。在迄今的所有设备上，各 lane 过了 `__syncwarp()` 之后一起执行，
              全部读完才写，所以模拟设备接受这种写法。但语言并不保证这一点。
            ]],
          },
        },
        {
          en = "`sum[t] += sum[t + s]; __syncthreads();` only in warp 0",
          zh = "只在 0 号 warp 里写 `sum[t] += sum[t + s]; __syncthreads();`",
          because = {
            en = [[
              All threads of the block have to reach a block barrier. If only warp 0 reaches it, the
              program is wrong.
            ]],
            zh = "块里的所有线程都必须到达块级屏障。如果只有 0 号 warp 到达，程序就是错误的。",
          },
        },
        {
          en = "`v += sum[t + s]; __syncwarp(); sum[t] = v; __syncwarp();` with `v` in a register",
          zh = "`v += sum[t + s]; __syncwarp(); sum[t] = v; __syncwarp();`，`v` 在寄存器里",
          right = true,
          because = {
            en = [[
              The first barrier separates the reads of this step from its writes. The second barrier
              separates these writes from the reads of the next step.
            ]],
            zh = "第一个屏障把这一步的读和写分开，第二个屏障把这一步的写和下一步的读分开。",
          },
        },
      },
    },
    ask {
      en = [[
        The loop ends after the round with s = 64. Which of these barriers can *not* be replaced by
        a `__syncwarp()`?
      ]],
      zh = "循环在 s = 64 那一轮之后结束。下面哪个屏障*不能*换成 `__syncwarp()`？",
      choices = {
        {
          en = "the barrier between the steps with s = 16 and s = 8",
          zh = "s = 16 与 s = 8 两步之间的屏障",
          because = {
            en = [[
              Every word that is read after this barrier was written by a lane of the same warp.
            ]],
            zh = "这个屏障之后读的每个字，都是由同一个 warp 的 lane 写的。",
          },
        },
        {
          en = "the barrier between the round with s = 64 and the step with s = 32",
          zh = "s = 64 那一轮与 s = 32 那一步之间的屏障",
          right = true,
          because = {
            en = [[
              In the round with s = 64, warp 1 writes `sum[32]` to `sum[63]`. In the next step, warp
              0 reads these words. `__syncwarp()` orders the lanes of one warp, never two warps.
            ]],
            zh = [[
              s = 64 那一轮里，1 号 warp 写 `sum[32]` 到 `sum[63]`；下一步里，0 号 warp 要读这些字。
              `__syncwarp()` 只能规定同一个 warp 的 lane 之间的先后，不能规定两个 warp 之间的先后。
            ]],
          },
        },
        {
          en = "the barrier before the step with s = 1",
          zh = "s = 1 那一步之前的屏障",
          because = {
            en = "Only two words are left, and lanes of warp 0 wrote both.",
            zh = "只剩两个字，都是由 0 号 warp 的 lane 写的。",
          },
        },
      },
      because = {
        en = [[
          Note that `__syncwarp()` waits for all lanes of the warp. In a branch that only some lanes
          take, call `__syncwarp(mask)`. In `mask`, the bits of these lanes must be 1.
        ]],
        zh = [[
          请注意，`__syncwarp()` 要等 warp 的所有 lane 都到达。在只有部分 lane 进入的分支里，
          要写 `__syncwarp(mask)`，掩码 `mask` 中这些 lane 对应的位必须为 1。
        ]],
      },
    },
    predict {
      en = [[
        One block sums 512 elements with eight warps. In the baseline each warp passes 9 barriers.
        Now only warp 0 does the last six rounds, without block barriers. How many block barriers
        does the device still count? (The device counts a barrier once for each warp that passes
        it.)
      ]],
      zh = [[
        一个块用八个 warp 对 512 个元素求和。基线的每个 warp 过 9 次屏障。
        现在改为只由 0 号 warp 完成最后六轮，这几轮不用块级屏障。设备还会数到多少次块级屏障？
        （一个屏障有几个 warp 经过，就计几次。）
      ]],
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      replies = {
        {
          3,
          en = "The device counts each barrier once for each of the eight warps.",
          zh = "每个屏障有八个 warp 经过，所以计八次。",
        },
        {
          72,
          en = [[
            This is the number for the baseline. Now the last six rounds have no block barriers.
          ]],
          zh = "这是基线的次数。现在最后六轮里没有块级屏障。",
        },
      },
      because = {
        en = [[
          Three block barriers are left: after the load, after the round with s = 128 and after the
          round with s = 64. 3 barriers * 8 warps = 24.
        ]],
        zh = [[
          还剩三个块级屏障：读入之后、s = 128 那一轮之后、s = 64 那一轮之后。3 次屏障 * 8 个 warp =
          24。
        ]],
      },
    },
    show {
      en = "The baseline, line by line. How many lanes are active in the line that adds?",
      zh = "逐行看基线。做加法的那一行有多少个活跃 lane？",
      picture = "divergence",
      of = "baseline",
    },
    exercise {
      en = [[
        Let the loop run only while s > 32, and let warp 0 do the other steps with `__syncwarp()`.
        Each step needs one barrier between its reads and its writes, and one barrier between its
        writes and the reads of the next step.
      ]],
      zh = [[
        让循环只在 s > 32 时继续，余下的各步由 0 号 warp 用 `__syncwarp()` 完成。
        每一步都要有两个屏障：一个在这一步的读与写之间，一个在这一步的写与下一步的读之间。
      ]],
    },
    compare {
      en = "Your kernel passes fewer barriers and executes fewer instructions than the baseline.",
      zh = "与基线相比，你的核函数经过的屏障少了，执行的指令也少了。",
      counters = { "barriers", "warp_inst", "shared_ld_requests", "divergent_branches", "active_lanes_avg" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "block_barriers",
      en = "For which values of s does only one warp contain threads that add?",
      zh = "s 取哪些值时，只有一个 warp 里有做加法的线程？",
    },
    {
      en = [[
        Do not change the rounds with s > 32. After the loop, write `if (tid < 32)`: each lane of
        warp 0 keeps its sum in a register `mine`. Then come six steps with s = 32, 16, 8, 4, 2, 1.
        In each step, the lane adds the word that lies s places after its own word, and waits. Then
        it stores `mine` in its own word and waits again.
      ]],
      zh = [[
        s > 32 的各轮不变。循环之后写 `if (tid < 32)`：0 号 warp 的每个 lane 把自己的部分和放在寄存
        器 `mine` 里。s 依次取 32、16、8、4、2、1。每一步里，lane 先把自己后面第 s 个字加进 `mine`，
        等待一次；再把 `mine` 写回自己的字，又等待一次。
      ]],
    },
    {
      en = [[
        Under `if (tid < 32)`, write

            int mine = sum[tid];
            for (unsigned s = 32; s > 0; s /= 2) {
                mine += sum[tid + s];
                __syncwarp();
                sum[tid] = mine;
                __syncwarp();
            }
      ]],
      zh = [[
        在 `if (tid < 32)` 之下写

            int mine = sum[tid];
            for (unsigned s = 32; s > 0; s /= 2) {
                mine += sum[tid + s];
                __syncwarp();
                sum[tid] = mine;
                __syncwarp();
            }
      ]],
    },
  },

  after = {
    en = [[
      All 32 lanes take part in every step, although only the sums of the first s lanes are needed.
      A warp needs the same time for an instruction, whether 1 lane or 32 lanes take part. So you
      need no condition, and the warp saves a test.

      On an H200, the time falls from 14.7 us to 12.6 us (measured, cold L2). The walk-through is
      older than Volta and shows this step without `__syncwarp()`. On the devices of that time, the
      lanes of a warp did run in step. Programs are used longer than devices, so rely only on what
      the language guarantees.
    ]],
    zh = [[
      每一步都有 32 个 lane 参加，尽管只用得到前 s 个 lane 求得的部分和。对一个 warp 来说，
      一条指令不论有 1 个 lane 还是 32 个 lane 参加，用时都一样；所以不必写条件，还省掉了判断。

      在 H200 上，用时从 14.7 微秒降到 12.6 微秒（实测，L2 冷态）。分步教程写在 Volta 之前，
      教程里的这一步没有 `__syncwarp()`：在当时的设备上，一个 warp 的 lane 确实步调一致。
      程序用得比设备久，请只依赖语言保证的规则。
    ]],
  },
  more = {
    en = [[
      Break your kernel in two ways, and run `check` after each. You will see two different faults:

      - Remove both `__syncwarp()`. The sums are wrong, but no race is reported. The compiler looks
        at one thread at a time and puts all loads before all stores, so each lane adds old words.
        This is a race, too. But the simulated device does not report it, because no lane reads a
        word after another lane has written it.
      - Leave both `__syncwarp()` out as before, and declare `volatile __shared__ int sum[BLOCK]`.
        The sums are right, but a race is reported. In which line is it, and between which two
        threads? The compiler now keeps the order of each lane's accesses, but nothing decides the
        order between lanes.
    ]],
    zh = [[
      用两种方式改坏你的核函数，每次都运行 `check`。你会看到两种不同的错误：

      - 去掉两个 `__syncwarp()`。结果是错的，却没有报告数据竞争。编译器只考虑单个线程，
        把所有的读都放在所有的写之前，所以各 lane 加的都是旧值。这也是数据竞争，
        但没有哪个 lane 读到别的 lane 已经写过的字，所以模拟设备没有报告。
      - 仍然不写这两个 `__syncwarp()`，再把数组声明成 `volatile __shared__ int sum[BLOCK]`。
        结果是对的，却报告了数据竞争：在哪一行、哪两个线程之间？
        现在编译器保持每个 lane 内的访问顺序，但 lane 之间的先后仍然没有规定。
    ]],
  },
}
