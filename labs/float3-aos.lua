-- Chapter 3: structures of 12 bytes.
local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

return lab {
  id = "float3-aos",
  title = { en = "Twelve-byte points", zh = "十二字节的点" },
  chapter = 3,
  minutes = 25,
  needs = { "coalescing", "matmul-tiled" },
  source = "slides V.1; guide 5.3.2",
  teaches = {
    float3 = "say ask",
    ["g80-coalescing"] = "compare after",
    ["aos-soa"] = "exercise after",
    ["wide-structs"] = "ask compare after",
  },

  entry = "void shift(const float *in, float *out, float d, int n)",
  args = {
    ["in"] = uniform(-10, 10, "3 * n"),
    out = output("3 * n", { ops = 1, atol = 0 }),
    d = scalar("d"),
  },
  cases = {
    { n = 256, d = 3 },
    { n = 1, d = 2 },
    { n = 1003, d = 0.5 },
    { n = 1 << 18, d = 3, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, d = { 1, 9 } },
  goals = {
    correct { points = 4 },
    at_most("global_load_sectors", 0.45 * baseline) {
      points = 3,
      en = [[
        Let the block read its points as plain floats: thread k reads floats k, k + 256 and k + 512
        of the block.
      ]],
      zh = [[
        让整个块把自己的点当作普通的 float 读入：线程 k 读这个块的第 k、k + 256、k + 512 个 float。
      ]],
    },
    at_most("global_store_sectors", 0.45 * baseline) {
      points = 3,
      en = "The stores must be coalesced, too.",
      zh = "写入同样要合并。",
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel shifts n points in space: it adds d to each coordinate. The points are
        stored one after another: x y z x y z ... This layout is called an *array of structs*. You
        will find out how many sectors the loads of such points touch, and on which devices these
        sectors cost time. Then you change the kernel so that its accesses coalesce.

        A thread can access 1, 2, 4, 8 or 16 bytes with one instruction, but not 12 bytes. The type
        of a point, `float3`, has 12 bytes. So a thread reads its point in three accesses of 4
        bytes. In each of these accesses, neighbouring lanes of a warp are 12 bytes apart.
      ]],
      zh = [[
        本实验的核函数移动空间里的 n 个点：给每个坐标都加上 d。这些点一个接一个存放：x y z x y z……
        这种布局叫*结构体数组*（array of structs，AoS）。你会学到：读这样的点要触及多少个扇区，在哪
        些设备上会因为这些扇区而变慢。然后你要修改核函数，使访问能够合并。

        线程用一条指令可以访问 1、2、4、8 或 16 字节，却不能访问 12 字节。一个点的类型是 `float3`，
        占 12 字节，所以线程要分三次读自己的点，每次 4 字节。每一次读取中，一个线程束（warp）里相
        邻 lane 的地址都相隔 12 字节。
      ]],
    },
    show {
      en = [[
        This is one of the three accesses. The addresses of neighbouring lanes are 12 bytes apart.
      ]],
      zh = "这是三次访问中的一次。相邻 lane 的地址相隔 12 字节。",
      picture = "lanes",
      model = function(lane) return lane * 12 end,
    },
    ask {
      en = [[
        A struct has {f} floats. The 32 lanes of a warp read one struct each, in {f} accesses of 4
        bytes. So the warp makes {f} requests. How many sectors of 32 bytes do these requests touch
        in total? (Count a sector again for each request that touches it.)
      ]],
      zh = [[
        一个结构体有 {f} 个 float。一个 warp 的 32 个 lane 各读一个结构体，分 {f} 次读取，每次 4 字
        节，所以一共有 {f} 个请求。这些请求一共触及多少个 32 字节的扇区？（有几个请求触及同一个扇
        区，这个扇区就算几次。）
      ]],
      draw = { f = { from = { 3, 5, 6, 7, 25 } } },
      answer = function(d) return d.f * math.min(32, 4 * d.f) end,
      replies = {
        {
          function(d) return 4 * d.f end,
          en = [[
            The data lie in 4 * {f} sectors. But each of the {f} requests reads from all 32 structs.
            How many sectors does one request touch?
          ]],
          zh = [[
            数据一共占 4 * {f} 个扇区。但 {f} 个请求中的每一个都要读全部 32 个结构体。一个请求触及多
            少个扇区？
          ]],
        },
      },
      because = {
        en = [[
          The 32 structs take 32 * {f} * 4 bytes, which are 4 * {f} sectors. Each request reads one
          float of every struct, so it touches all these sectors, but at most 32 of them. There are
          {f} such requests. For points of 3 floats, the three requests touch 3 * 12 = 36 sectors in
          total, although the data lie in only 12.
        ]],
        zh = [[
          32 个结构体占 32 * {f} * 4 字节，即 4 * {f} 个扇区。每个请求从每个结构体里读一个 float，要
          触及全部这些扇区，但最多 32 个。这样的请求有 {f} 个。点有 3 个 float 时，数据只占 12 个扇
          区，三个请求却一共触及 3 * 12 = 36 个。
        ]],
      },
    },
    ask {
      en = [[
        Can one instruction perhaps read a whole `float3` after all? You can test this. The baseline
        runs with n = {n}, one point per thread. Each load instruction that a warp executes counts
        as one *request*. How many load requests does the device count?
      ]],
      zh = [[
        一条指令会不会其实就能读入整个 `float3`？可以测一测。用 n = {n} 运行基线，
        每个线程处理一个点。一个 warp 执行一次读取指令，算一个*请求*。设备会数到多少个读取请求？
      ]],
      draw = { n = { from = { 64, 128, 256, 512, 1024 } } },
      answer = measured { of = "baseline", case = function(d) return { n = d.n, d = 3 } end, counter = "gld_requests" },
      because = {
        en = [[
          There are {n} / 32 warps, and each makes three requests. A thread can read 4, 8 or 16
          bytes with one instruction, but not 12.
        ]],
        zh = [[
          共有 {n} / 32 个 warp，每个 warp 发出三个请求。4、8、16 字节可以用一条指令读入，
          12 字节却不行。
        ]],
      },
    },
    ask {
      en = [[
        With shared memory, the kernel can touch fewer sectors. First, the threads of a block
        together copy the block's points into shared memory: neighbouring lanes copy neighbouring
        floats. Then each thread reads its own point from shared memory.

        Shared memory has 32 *banks*, and word i (4 bytes) lies in bank i % 32. In one *pass*, each
        bank serves one word. Different words of one bank take one pass each. If thread t reads word
        {f} * t, how many passes does the request of a warp take?
      ]],
      zh = [[
        借助共享内存，可以少触及一些扇区。块内的线程先一起把这个块的点拷入共享内存，
        相邻的 lane 拷相邻的 float。然后每个线程从共享内存里读自己的点。

        共享内存分成 32 个*存储体*（bank），第 i 个字（4 字节）在存储体 i % 32 里。每走一*遍*，每个
        存储体给出一个字；同一个存储体里有几个不同的字，就要走几遍。如果线程 t 读第 {f} * t 个字，一
        个 warp 的请求要走几遍？
      ]],
      draw = { f = { from = { 3, 4, 6, 8, 12, 25 } } },
      answer = function(d) return gcd(d.f, 32) end,
      because = {
        en = [[
          The number of passes is the greatest common divisor of {f} and 32. For points of 3 floats,
          it is 1: 3 is odd, so the 32 words lie in 32 different banks.
        ]],
        zh = [[
          遍数等于 {f} 与 32 的最大公约数。点有 3 个 float，遍数是 1：3 是奇数，所以 32 个字落
          在 32 个不同的存储体里。
        ]],
      },
    },
    predict {
      en = [[
        The model answer copies its points through shared memory, and neighbouring lanes copy
        neighbouring floats. How many sectors do the model answer's loads touch per request?
      ]],
      zh = [[
        参考答案让点经过共享内存，相邻的 lane 拷相邻的 float。参考答案的读取，平均每个请求触及多少个
        扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "answer",
      tolerance = 0.02,
      because = {
        en = [[
          Neighbouring lanes load neighbouring floats, so 32 lanes touch 128 bytes, which are 4
          sectors.
        ]],
        zh = "相邻的 lane 读相邻的 float，所以 32 个 lane 触及 128 字节，即 4 个扇区。",
      },
    },
    ask {
      en = [[
        With the copy in shared memory, the requests touch a third of the sectors. But an H200 has
        an L1 cache in each multiprocessor. This cache can keep a sector until the warp's next
        accesses need the rest of the sector. When does this detour through shared memory pay on
        such a device?
      ]],
      zh = [[
        绕道共享内存之后，请求触及的扇区降到三分之一。但 H200 的每个多处理器有 L1 缓存，可以把读来的
        扇区留下，供同一个 warp 后面的访问使用。在这样的设备上，什么时候绕道共享内存才划算？
      ]],
      choices = {
        {
          en = "When there are only a few points, which fit into the cache",
          zh = "点很少、缓存放得下的时候",
          because = {
            en = "The fewer the points, the more the cache helps the simple version.",
            zh = "点越少，缓存对简单做法的帮助就越大。",
          },
        },
        {
          en = "When the kernel does many operations for each point",
          zh = "每个点的运算很多的时候",
          because = {
            en = "Such a kernel spends its time on arithmetic, so faster accesses gain little.",
            zh = "这样的核函数把时间花在运算上，访问内存再快也没有多少收益。",
          },
        },
        { en = "Never", zh = "永远不划算" },
        {
          en = [[
            With long structs: a thread then makes many loads and stores, and each request touches
            32 sectors
          ]],
          zh = "结构体很长的时候：读和写都要分许多次，每个请求都触及 32 个扇区",
          right = true,
        },
      },
      because = {
        en = [[
          For points, a warp makes only three requests of 12 sectors each, and the L1 can keep these
          sectors. For structs of 25 or 32 floats, every request touches 32 sectors, and the L1
          would have to keep the structs of all warps until the last request of each warp. Stores
          are not gathered in L1 at all: each goes to the L2 cache. The last table of this lab
          compares a kernel with the detour and one without it, for structs of 25 floats.
        ]],
        zh = [[
          对于点，一个 warp 只有三个请求，各触及 12 个扇区，L1 能留住这些扇区。结构体
          有 25 或 32 个 float 时，每个请求都触及 32 个扇区，L1 要一直留着所有 warp 的结构体，直到各
          个 warp 的最后一个请求完成。写入则根本不会在 L1 里合并，每次都要送到 L2 缓存。本实验的最后
          一张表用 25 个 float 的结构体，对比了绕道和不绕道的核函数。
        ]],
      },
    },
    exercise {
      en = [[
        Load the points into shared memory first, and store the results through shared memory, too.
        This is called *staging*.
      ]],
      zh = "让点经过共享内存：读入要这样做，写出也要这样做。",
    },
    show {
      en = "Your accesses, line by line:",
      zh = "逐行看你的访问：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Your kernel touches a third of the baseline's sectors.",
      zh = "你的核函数触及的扇区只有基线的三分之一。",
      counters = { "gld_sectors", "gst_sectors", "gld_efficiency_pct", "l1_hit_pct", "dram_read", "dram_write" },
      beside = "baseline",
    },
    compare {
      en = [[
        On a G80 of 2006, staging makes the kernel faster. (The table shows the model answer beside
        the baseline. The times are modelled.)
      ]],
      zh = "在 2006 年的 G80 上，经过共享内存更快。（参考答案与基线对比，时间为模型值。）",
      of = "answer",
      beside = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = [[
        On an H200, staging makes the kernel slower. (Again the model answer beside the baseline,
        with modelled times.)
      ]],
      zh = "在 H200 上，经过共享内存反而更慢。（仍是参考答案与基线对比，时间为模型值。）",
      of = "answer",
      beside = "baseline",
      on = "sim:h200",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = [[
        These two kernels process the same floats on an H200, but as structs of 25 floats. In the
        first column, the kernel stages the structs. In the second column, each thread accesses its
        own struct directly. Now staging makes the kernel faster.
      ]],
      zh = [[
        下面两个核函数在 H200 上处理同样的 float，但每 25 个组成一个结构体。第一列经过共享内存，
        第二列由每个线程直接读写自己的结构体。这时经过共享内存更快。
      ]],
      of = "kernels/float3-aos-long-staged.cu",
      beside = "kernels/float3-aos-long.cu",
      on = "sim:h200",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
  },

  hints = {
    {
      en = [[
        The points of a block of 256 threads are 768 floats, one after another in memory. The block
        can copy these floats without regard to where a point begins.
      ]],
      zh = [[
        256 个线程的块有 256 个点，在内存里是 768 个连续的 float。拷贝这些 float 的时候，
        不必管一个点从哪里开始。
      ]],
    },
    {
      en = [[
        Let `s` be an array in shared memory, and let the block's floats begin at `in[first]`. For k
        = t, t + 256 and t + 512, thread t copies `in[first + k]` to `s[k]`. Wait at a barrier.
        Thread t changes `s[3 * t]`, `s[3 * t + 1]` and `s[3 * t + 2]`. Wait at a barrier again.
        Then copy the floats to `out` in the same way.
      ]],
      zh = [[
        设 `s` 是共享内存里的数组，本块的 float 从 `in[first]` 开始。对 k = t、t + 256、t + 512，线
        程 t 把 `in[first + k]` 拷到 `s[k]`，然后执行屏障。线程 t 修改 `s[3 * t]`、`s[3 * t + 1]`、
        `s[3 * t + 2]`，再执行一次屏障。最后用同样的方法拷到 `out`。
      ]],
    },
    {
      en = [[
        `int first = blockIdx.x * 768, count = min(768, 3 * n - first); for (int k = threadIdx.x; k < count; k += 256) s[k] = in[first + k];`
        No thread may return before the last barrier.
      ]],
      zh = [[
        `int first = blockIdx.x * 768, count = min(768, 3 * n - first); for (int k = threadIdx.x; k < count; k += 256) s[k] = in[first + k];`。
        最后一次屏障之前，任何线程都不能返回。
      ]],
    },
  },

  after = {
    en = [[
      Staging comes from early GPUs. A G80 loaded 3 million floats, added a number to each and
      stored them. This took 356 us if the accesses coalesced. If they did not, it took 3494 us,
      because each lane's access became a separate transfer. On a G80, accesses to points of 12
      bytes never coalesced.

      An H200 shifts 2^23 points in 53 us with the simple kernel, and in 57 us with staging
      (measured with cold caches). So staging is *slower* on an H200: even with the simple kernel,
      the second and third access of a thread find their sectors in L1. The counter `gld_sectors`
      counts these sectors again, although they do not come from memory again.

      Long structs are different. In the baseline of `coalescing`, each thread reads 128 bytes of
      its own. On an H200, this baseline takes 2.6 times as long as a kernel with coalesced accesses
      (44 us and 17 us, measured with cold caches). Look again at the last three tables: they
      compare G80 and H200, points and long structs.

      An optimisation may help only on one device, or only for one layout. So measure it before you
      keep it. One change helps on every device: a *struct of arrays*, in which x, y and z each have
      an array of their own. A kernel that needs only x then reads only a third of the data.
    ]],
    zh = [[
      经过共享内存的做法来自早期的 GPU。G80 读入三百万个 float、各加上一个数、再写回，
      访问能合并时用 356 微秒，不能合并时用 3494 微秒，因为每个 lane 的访问都要单独传输一次。
      在 G80 上，访问 12 字节的点永远不能合并。

      H200 移动 2^23 个点，简单做法用 53 微秒，经过共享内存用 57 微秒（冷缓存实测），反而*更慢*：采
      用简单做法时，线程的第二、第三次访问也能在 L1 里找到扇区。计数器 `gld_sectors` 会再次计入这些
      扇区，但它们没有再次从内存读取。

      结构体很长时，情况不同。在 `coalescing` 的基线里，每个线程读自己的 128 字节。在 H200 上，这个
      基线的用时是合并访问的核函数的 2.6 倍（44 微秒对 17 微秒，冷缓存实测）。请再看一遍最后三张表：
      它们对比了 G80 与 H200、点与长结构体。

      一项优化可能只对某种设备、某种布局有效，所以要先测量，再决定是否保留。
      有一种改法在任何设备上都有效：*数组结构体*（struct of arrays，SoA），也就是 x、y、
      z 各放一个数组。这样，只需要 x 的核函数就只读三分之一的数据。
    ]],
  },
  more = {
    en = [[
      Here the kernel adds the same d to every coordinate. So 3 * n threads can each shift one
      float, without any shared memory. Try it. Suppose that the kernel scales each point to length
      1 instead. Why is one thread per float no longer enough?
    ]],
    zh = [[
      这里每个坐标都加同一个 d，所以可以用 3 * n 个线程，每个线程处理一个 float，完全不用共享内存：
      试一试。如果核函数要把每个点缩放到长度 1，为什么就不能每个线程只处理一个 float 了？
    ]],
  },
}
