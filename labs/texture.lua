-- Chapter 8: textures and surfaces: reads that are close together in two directions.
return lab {
  id = "texture",
  title = { en = "Textures: near in two directions", zh = "纹理：两个方向上都邻近" },
  chapter = 8,
  minutes = 35,
  needs = { "qualifiers", "coalescing", "image-gray" },
  source = "guide 5.3.2; slides II.1, II.2",
  teaches = {
    ["texture-space"] = "say",
    ["texture-locality"] = "say show exercise",
    ["texture-latency"] = "say ask",
    ["texture-pattern"] = "say after",
    ["texture-addressing"] = "say goals exercise",
    ["texture-packed"] = "say more",
    ["texture-normalised"] = "say ask exercise",
    ["texture-filter"] = "say ask exercise",
    ["texture-modes"] = "say more",
    ["texture-object"] = "say exercise",
    ["texture-h200"] = "after",
    ["texture-cache-g80"] = "say",
    surfaces = "say ask after",
  },

  entry = "void rotate(const unsigned char *in, float *out, float c, float s, int width, int height)",
  args = {
    ["in"] = integers(0, 255, "width * height"),
    -- the unit mixes with weights of 8 bits: two of them, on values from 0 to 1
    out = output("width * height", { atol = 0.01, rtol = 0 }),
    -- cosine and sine of three angles (0.8 and 0.6, 0.6 and 0.8, 0.28 and 0.96), from turn = 3 on
    -- with a negative sine, a negative cosine and both negative
    c = scalar("(0.8 - 0.2 * (turn % 3) - 0.06 * (turn % 3) * (turn % 3 - 1)) * (1 - 2 * (turn - turn % 6) / 6)"),
    s = scalar("(0.6 + 0.2 * (turn % 3) - 0.02 * (turn % 3) * (turn % 3 - 1)) * (1 - 2 * (turn % 6 - turn % 3) / 3)"),
  },
  cases = {
    { width = 64, height = 64, turn = 0 },
    { width = 1, height = 1, turn = 0 },
    { width = 100, height = 37, turn = 1 },
    { width = 512, height = 512, turn = 0, timed = true },
  },
  hidden = { count = 3, width = { 1, 150 }, height = { 1, 150 }, turn = { 0, 11 } },
  goals = {
    correct { points = 4 },
    at_least("tex_load_pct", 50) {
      points = 1,
      en = "Your kernel does not read through a texture yet. Use `tex2D<float>(picture, x, y)`.",
      zh = "核函数还没有通过纹理读取。请用 `tex2D<float>(picture, x, y)`。",
    },
    at_most("gld_requests", 0.05 * baseline) {
      points = 2,
      en = [[
        Your kernel still reads pixels with plain loads. Every read of the picture should go through
        the texture.
      ]],
      zh = "还有像素是用普通读取得到的。对图像的每次读取都应当通过纹理。",
    },
    at_most("arithmetic", 0.4 * baseline) {
      points = 2,
      en = [[
        Your kernel still mixes pixels itself. Let the texture mix them (`cudaFilterModeLinear`),
        with one fetch for each output pixel.
      ]],
      zh = [[
        核函数还在自己混合像素。应当由纹理来混合（`cudaFilterModeLinear`），
        每个输出像素只读一次纹理。
      ]],
    },
    at_least("tex_hit_pct", 85) {
      points = 1,
      en = [[
        Sectors are evicted from the cache before the next warp uses them. Use square blocks, so
        that a block reads pixels that are close together in both directions.
      ]],
      zh = [[
        有些扇区，下一个 warp 还没有用到，缓存就逐出了。请用方形的块，使一个块读的像素在两个方向
        上都靠近。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel turns a picture by an angle. For each output pixel, it mixes the four
        input pixels around one place. You will let a *texture* do most of this work.

        The output pixels of one row come from a slanted line of the input. So neighbouring lanes
        read pixels of different rows. The picture is stored row by row. For this reason, a warp
        touches many sectors and uses only a few bytes of each.
      ]],
      zh = [[
        本实验的核函数把图像旋转一个角度。每个输出像素由输入图像里某个位置周围的四个像素混合而成。
        你要把大部分工作交给*纹理*。

        输出的一行来自输入的一条斜线，所以相邻的 lane 读的是不同行的像素。而图像是按行存储的，
        因此一个线程束（warp）会触及许多扇区，每个扇区却只用到几个字节。
      ]],
    },
    show {
      en = [[
        The 32 lanes compute 32 neighbouring pixels of one output row. The rows of the picture have
        512 bytes, and the picture is turned by about 37 degrees. Each lane reads 0.8 pixels to the
        right of the lane before it, and 0.6 pixels further down:
      ]],
      zh = [[
        32 个 lane 计算输出的一行里 32 个相邻的像素。图像每行 512 字节，旋转约 37 度。
        每个 lane 读的位置，比前一个 lane 靠右 0.8 个像素，靠下 0.6 个像素：
      ]],
      picture = "lanes",
      model = function(lane) return 512 * (lane * 6 // 10) + lane * 8 // 10 end,
    },
    show {
      en = "Now the 32 lanes compute two rows of 16 pixels, as in a block of 16 x 16 threads:",
      zh = "现在 32 个 lane 计算两行，每行 16 个像素，与 16 x 16 的线程块里一样：",
      picture = "lanes",
      model = function(lane)
        local x, y = lane % 16, lane // 16
        local u, v = (8 * x - 6 * y) // 10 + 8, (6 * x + 8 * y) // 10
        return 512 * v + u
      end,
    },
    say {
      en = [[
        *Texture memory* suits such reads. A texture is in device memory, and kernels read it
        through a *texture cache*. (On a G80, this cache had 6 to 8 KB in each multiprocessor. Today
        the L1 is the texture cache.) A read through a texture is called a *fetch*.

        The picture is kept in an *array* (`cudaArray_t`). In the layout of an array, pixels that
        are close together in *two* directions share sectors. The closer together the lanes of a
        warp read, the fewer sectors they need.

        Kernels can only read a texture. A *surface* is an array that kernels can also write, with
        `surf2Dwrite(value, surface, x, y)`. Here x counts bytes, not elements.

        The CUDA guide describes the texture unit of old devices: a hit saved DRAM bandwidth, but
        took as long as a miss. Today a hit returns sooner. On the simulated H200, a fetch takes 86
        cycles if it hits, and 289 if the L2 answers. A plain load that hits L1 takes 43.

        Textures have more advantages:

        - Global memory does not coalesce some reads that are close together, and constant
          memory serialises them. Through a texture, such reads get more bandwidth.
        - Special units compute the addresses, also at the edges of the picture. The kernel needs no
        instructions for this.
        - The pixels of a texture are called *texels*. One fetch brings all components of a packed
        texel (such as `uchar4`) into separate variables.
        - If you ask for it, integers of 8 or 16 bits become floats from 0 to 1 (from -1 to 1 if
        they are signed).
      ]],
      zh = [[
        *纹理内存*（texture）正适合这种读取。纹理在设备内存里，核函数通过*纹理缓存*读取。（G80 的每
        个多处理器有 6 到 8 KB 纹理缓存，如今的纹理缓存就是 L1。）

        图像存放在*数组* `cudaArray_t` 里，存储方式使*两个*方向上都靠近的像素落在同一个扇区里。
        一个 warp 的各个 lane 读的位置越靠近，需要的扇区越少。

        核函数可以读纹理，不能写纹理。*表面*（surface）是核函数也能写的数组，
        用 `surf2Dwrite(value, surface, x, y)` 写入，其中 x 以字节计，不以元素计。

        《CUDA 编程指南》讲的是老设备的纹理单元：命中与未命中用时一样，命中能节省 DRAM 带宽，
        但*不会*更早返回。如今命中确实更早返回。在模拟的 H200 上，命中的纹理读取要 86 个周期，
        由 L2 回应的要 289 个周期；命中 L1 的普通读取要 43 个周期。

        纹理还有这些好处：

        - 位置靠近的读取，通过纹理能得到更高的带宽，即使这些读取在全局内存里不合并，或者在常量内存里
          要逐个进行。
        - 地址由专门的单元计算，图像边缘处也是如此，核函数不需要为此执行指令。
        - 一个像素可以有几个分量（例如 `uchar4`），一次读取就把各个分量放进不同的变量里。
        - 8 位和 16 位的整数可以按要求换成 0 到 1 的浮点数（有符号的换成 -1 到 1）。
      ]],
    },
    ask {
      en = [[
        A kernel makes one texture fetch after another, and each fetch depends on the previous
        fetch. At first, all fetches miss the texture cache. Then all fetches hit. What changes,
        on a device whose texture cache is the L1?
      ]],
      zh = [[
        某个核函数一次接一次地做纹理读取，每一次都依赖前一次的结果。起初所有读取都没有命中纹理缓存，
        后来全部命中。在纹理缓存就是 L1 的设备上，会有什么变化？
      ]],
      choices = {
        {
          en = "Only the time: each fetch returns sooner",
          zh = "只有时间变了：每次读取都更早返回",
          because = {
            en = "Each fetch does return sooner. But a hit also reads nothing from L2 and DRAM.",
            zh = "每次读取确实更早返回。不过命中以后，也不再从 L2 和 DRAM 读数据。",
          },
        },
        {
          en = "Only the traffic: less from DRAM, at the same latency",
          zh = "只有流量变了：DRAM 流量减少，延迟不变",
          because = {
            en = "This was true on old devices, where a hit took as long as a miss.",
            zh = "老设备是这样：命中与未命中用时一样。",
          },
        },
        {
          en = "Both: less traffic, and a shorter latency",
          zh = "两者都有：流量减少，延迟也缩短",
          right = true,
          because = {
            en = "A hit takes 86 cycles instead of 289 or more, and nothing moves from L2 or DRAM.",
            zh = "命中只要 86 个周期，不命中至少 289 个周期；命中时也不从 L2 和 DRAM 搬运数据。",
          },
        },
      },
    },
    ask {
      alone = true,
      en = [[
        The elements of a surface are `float4`. A kernel writes element {c} of a row (counted from
        0) with `surf2Dwrite(value, surface, x, y)`. What is x?
      ]],
      zh = [[
        表面的元素是 `float4`。核函数用 `surf2Dwrite(value, surface, x, y)` 写一行里的第 {c} 个元素
        （从 0 数起）。x 应当是多少？
      ]],
      draw = { c = { from = { 3, 5, 9, 12 } } },
      answer = function(d) return 16 * d.c end,
      replies = {
        {
          function(d) return d.c end,
          en = [[
            This is the number of the element. A texture fetch counts elements, but a surface counts
            bytes.
          ]],
          zh = "这是元素的序号。纹理读取以元素计，表面以字节计。",
        },
        {
          function(d) return 4 * d.c end,
          en = "A `float` has 4 bytes, but a `float4` consists of four floats.",
          zh = "一个 `float` 是 4 字节，而一个 `float4` 由四个 `float` 组成。",
        },
      },
      because = {
        en = "An element has 16 bytes, so x is 16 * {c}.",
        zh = "一个元素占 16 字节，所以 x 是 16 * {c}。",
      },
    },
    ask {
      en = [[
        The texels of a picture are `unsigned char`. A texture reads them with
        `cudaReadModeNormalizedFloat`, which makes floats from 0 to 1. What does a fetch return for
        a texel of {v}?
      ]],
      zh = [[
        图像的像素是 `unsigned char`，用 `cudaReadModeNormalizedFloat` 读取，得到 0 到 1 的浮点数。
        像素值为 {v} 时，读到的是多少？
      ]],
      draw = { v = { 20, 240 } },
      answer = function(d) return d.v / 255 end,
      tolerance = 0.01,
      because = {
        en = [[
          0 becomes 0, and 255 becomes 1. So {v} becomes {v} / 255. This costs the kernel no
          instruction. With plain loads, the kernel needs a conversion and a multiplication for each
          pixel.
        ]],
        zh = [[
          0 变成 0，255 变成 1，所以 {v} 变成 {v} / 255。核函数不需要为此执行指令。用普通读取，
          每个像素都要一次类型转换和一次乘法。
        ]],
      },
    },
    say {
      en = [[
        Texel i covers the coordinates from i to i + 1, so *its centre is at i + 0.5*. With
        `cudaFilterModePoint`, a fetch returns the texel that covers the place. With
        `cudaFilterModeLinear`, it mixes the nearest texels: two in one dimension, four in two.
        Their weights have 8 bits and depend on the distances to the centres.

        If x and y are whole numbers, `tex2D<float>(t, x + 0.5f, y + 0.5f)` returns texel (x, y)
        itself in both modes.

        Outside the picture, the *address mode* decides what a fetch returns. `Clamp` gives the
        nearest texel at the edge. `Border` gives 0. `Wrap` and `Mirror` repeat the picture. These
        two modes need normalised coordinates, which go from 0 to 1 over the whole width.
      ]],
      zh = [[
        第 i 个像素占据坐标 i 到 i + 1，*中心在 i + 0.5*。用 `cudaFilterModePoint` 读取，
        得到的是覆盖该处的那个像素。用 `cudaFilterModeLinear` 读取，得到的是最近几个像素的混合：
        一维两个，二维四个。各像素的权重是 8 位的，由到像素中心的距离决定。

        当 x、y 是整数时，`tex2D<float>(t, x + 0.5f, y + 0.5f)` 在两种模式下得到的都恰好是像素 (x,
        y)。

        位置在图像之外时，读到什么由*寻址模式*决定：`Clamp` 得到最近的边缘像素，`Border` 得到 0，
        `Wrap` 和 `Mirror` 则重复图像。后两种要用归一化坐标，即整个宽度对应 0 到 1。
      ]],
    },
    ask {
      en = [[
        In a texture of one dimension, texel {i} is {a} and the next one is {b}. What does a fetch
        with the linear filter return at x = {i} + 0.75?
      ]],
      zh = [[
        在一维纹理里，第 {i} 个像素是 {a}，下一个是 {b}。用线性滤波在 x = {i} + 0.75 处读取，
        得到多少？
      ]],
      draw = { i = { 2, 9 }, a = { from = { 0, 40, 80 } }, b = { from = { 20, 120, 200 } } },
      answer = function(d) return 0.75 * d.a + 0.25 * d.b end,
      tolerance = 0.005,
      because = {
        en = [[
          The centre of texel {i} is at {i} + 0.5. From there, the place is a quarter of the way to
          the next centre. So the result is 0.75 * {a} + 0.25 * {b}.
        ]],
        zh = [[
          第 {i} 个像素的中心在 {i} + 0.5。从这里到下一个中心，读取的位置在四分之一处，
          所以结果是 0.75 * {a} + 0.25 * {b}。
        ]],
      },
    },
    predict {
      en = [[
        The baseline (the skeleton's kernel) turns a picture of 64 x 64 pixels with plain loads. It
        makes four loads for each output pixel. Its blocks are 256 threads wide and one thread high.
        How many load requests does the baseline make? (Warps without a pixel make none.)
      ]],
      zh = [[
        基线（骨架代码的核函数）用普通读取旋转一幅 64 x 64 的图像，每个输出像素读四次。
        线程块宽 256、高 1。一共有多少个读请求？（没有像素的 warp 不产生请求。）
      ]],
      counter = "gld_requests",
      of = "baseline",
      case = { width = 64, height = 64, turn = 0 },
      tolerance = 0,
      because = {
        en = [[
          Each of the 64 rows has 2 warps with pixels, and each warp makes 4 requests: 512 in all.
          With filtered fetches there are 128 requests, one for each warp.
        ]],
        zh = [[
          64 行，每行有 2 个 warp 有像素，每个 warp 4 个请求，共 512 个。改用带滤波的纹理读取，
          就是 128 个，每个 warp 一个。
        ]],
      },
    },
    say {
      en = [[
        To make a *texture object*, you fill in two descriptions. `what` says which memory to read,
        and `how` says how to read it.

            cudaResourceDesc what = {};
            what.resType = cudaResourceTypeArray;
            what.res.array.array = array;

            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = ...;
            how.filterMode = ...;
            how.readMode = ...;

            cudaTextureObject_t picture;
            cudaCreateTextureObject(&picture, &what, &how, nullptr);

        The object is a number. Pass it to the kernel as an argument. At the end, destroy it with
        `cudaDestroyTextureObject`.
      ]],
      zh = [[
        建立一个*纹理对象*，要填写两份描述：`what` 说明读哪块内存，`how` 说明怎样读。

            cudaResourceDesc what = {};
            what.resType = cudaResourceTypeArray;
            what.res.array.array = array;

            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = ...;
            how.filterMode = ...;
            how.readMode = ...;

            cudaTextureObject_t picture;
            cudaCreateTextureObject(&picture, &what, &how, nullptr);

        纹理对象是一个数，作为参数传给核函数。用完以后，用 `cudaDestroyTextureObject` 销毁。
      ]],
    },
    exercise {
      en = [[
        The skeleton copies the picture into an array, but its kernel does not use this array. Read
        the picture through a texture. Let the texture clamp the coordinates at the edges, convert
        the pixels to floats and mix them. Then one fetch for each output pixel is enough. Use
        square blocks. The skeleton already fills the array.
      ]],
      zh = [[
        骨架代码把图像拷贝到数组里，核函数却没有使用这个数组。请改为通过纹理读取图像，
        由纹理处理边缘、换算成浮点数并混合像素。这样，每个输出像素只读一次纹理就够了。
        线程块用方形的。填充数组的代码已经写好。
      ]],
    },
    show {
      en = "The plain loads and stores that are left in your kernel:",
      zh = "你的核函数里剩下的普通读取和写入：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Your kernel makes fewer requests than the baseline, and does less arithmetic:",
      zh = "与基线相比，你的核函数请求更少，运算也更少：",
      counters = {
        "gld_requests", "tex_requests", "tex_sectors", "tex_hit_pct", "inst_fp32", "inst_convert",
        "inst_int", "warp_inst",
      },
      beside = "baseline",
    },
    ask {
      en = [[
        Neighbours in both directions lie close together only in a `cudaArray_t`. To fill it, a
        program must copy the whole picture. With this copy, a call of the model answer takes 5.7 us
        on an H200 for this lab's 512 x 512 pixels. The baseline needs no copy, and a call of it
        takes 5.2 us (measured). When does a texture pay?
      ]],
      zh = [[
        只有 `cudaArray_t` 这种数组能让两个方向上相邻的像素都放在一起，
        而填充它要把整幅图像拷贝一遍。在 H200 上实测，对本实验的 512 x 512 个像素，
        参考答案的一次调用连同这次拷贝要 5.7 微秒，不需要拷贝的基线要 5.2 微秒。纹理什么时候划算？
      ]],
      choices = {
        {
          en = "When lanes read along the rows: the texture cache is faster than the L1",
          zh = "各 lane 沿着行读的时候：纹理缓存比 L1 快",
          because = {
            en = [[
              Today the texture cache is the L1. Plain loads along the rows coalesce anyway. For
              2048 x 2048 floats, they take 12.6 us, and texture fetches take 14.7 us.
            ]],
            zh = [[
              如今纹理缓存就是 L1。沿着行的普通读取本来就是合并的：2048 x 2048 个 float，
              普通读取要 12.6 微秒，通过纹理要 14.7 微秒。
            ]],
          },
        },
        {
          en = [[
            When reads are near each other in two directions, but not along the rows, and the
            picture is read more than once
          ]],
          zh = "读取在两个方向上都靠近，但不是沿着行，而且图像要读不止一次的时候",
          right = true,
          because = {
            en = [[
              For 2048 x 2048 floats, reads down the columns take 34.4 us with plain loads. With a
              texture that is already filled, they take 15.4 us. If the picture is turned by 45
              degrees and filtered, plain loads take 19.5 us, and a texture takes 13.6 us. After
              several reads of the picture, the texture has saved more time than the copy costs.
            ]],
            zh = [[
              对 2048 x 2048 个 float 沿着列读，普通读取要 34.4 微秒，已经填好的纹理要 15.4 微秒。
              旋转 45 度并带滤波，普通读取要 19.5 微秒，纹理要 13.6 微秒。多读几次，
              省下的时间就超过拷贝的开销。
            ]],
          },
        },
        {
          en = "When each lane reads at a random place",
          zh = "每个 lane 都读随机位置的时候",
          because = {
            en = [[
              The cache then holds nothing that is used again. Each fetch moves a whole sector for
              one texel, as a plain load does.
            ]],
            zh = "那样，缓存里的数据不会再用到。每次读取都为一个像素搬来一个扇区，与普通读取一样。",
          },
        },
        {
          en = "When a kernel writes the picture and reads it again at once",
          zh = "核函数写出图像、紧接着自己又要读的时候",
          because = {
            en = [[
              Textures are read-only. A kernel can write through a surface, but its own fetches may
              not see the new values.
            ]],
            zh = "纹理只能读。核函数可以通过表面写入，但同一个核函数的纹理读取不一定看得到新的值。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = [[
        The function `pixel` does two things, and the code after it does a third thing: it mixes
        pixels. The description `how` has a field for each of these three things. Which fields
        are they?
      ]],
      zh = [[
        `pixel` 做两件事，后面的代码做第三件：混合。这三件事在描述 `how` 里各有一个字段，是哪三个字
        段？
      ]],
    },
    {
      en = [[
        Use `cudaAddressModeClamp`, `cudaFilterModeLinear` and `cudaReadModeNormalizedFloat`. Leave
        the coordinates unnormalised. Give the kernel a `cudaTextureObject_t` instead of the
        pointer. The centre of a texel is at i + 0.5, so add half a pixel to both coordinates of the
        fetch.
      ]],
      zh = [[
        用 `cudaAddressModeClamp`、`cudaFilterModeLinear` 和 `cudaReadModeNormalizedFloat`，
        坐标不要归一化。核函数的指针参数换成 `cudaTextureObject_t`。像素的中心在 i + 0.5，
        所以读取时 u、v 都要加半个像素。
      ]],
    },
    {
      en = [[
        At the end of the kernel, write

            out[y * width + x] =
                tex2D<float>(picture, u + 0.5f, v + 0.5f);

        Remove `i`, `j`, `f`, `g` and `pixel`. Launch with `dim3 block(16, 16)`, and pass `picture`.
        After the launch, destroy the object and free the array.
      ]],
      zh = [[
        核函数最后写

            out[y * width + x] =
                tex2D<float>(picture, u + 0.5f, v + 0.5f);

        去掉 `i`、`j`、`f`、`g` 和 `pixel`。启动时用 `dim3 block(16, 16)`，把 `picture` 传进去。启动
        之后，销毁纹理对象，释放数组。
      ]],
    },
  },

  after = {
    en = [[
      These times were measured on an H200 for 2048 x 2048 floats, with *cold caches*: at the
      start, the picture is in none of them.

                                     plain loads    texture
          along the rows               12.6 us      14.7 us
          down the columns             34.4 us      15.4 us
          turned by 45 degrees         19.5 us      13.6 us   (filtered)

      Along the rows, plain loads coalesce, and the texture is slower. In other directions, the
      texture is faster. With the texture, 81% of the sectors of the turned picture were found in
      the cache. The times leave out the copy that fills the array. Because of this copy, a texture
      pays only if a program reads the picture more than once. On old devices, textures gained more,
      because the L1 did not cache global loads.

      A *surface* is the same array, opened for reading and writing.
      `surf2Dwrite(value, surface, x * sizeof(float), y)` counts x in bytes. It does not filter
      or convert. If a kernel writes to a surface, its own texture fetches may not see the new
      values. Read the new values in the next launch.
    ]],
    zh = [[
      以下时间是在 H200 上对 2048 x 2048 个 float 实测的（*冷缓存*，即开始时图像不在任何缓存里）：

                              普通读取      纹理
          沿着行              12.6 微秒     14.7 微秒
          沿着列              34.4 微秒     15.4 微秒
          旋转 45 度          19.5 微秒     13.6 微秒  （带滤波）

      沿着行读时，普通读取是合并的，纹理反而慢一些。在其他方向上，纹理更快。旋转图像时，通过纹理读取
      的扇区有 81% 在缓存里命中。这些时间不包括填充数组的拷贝。因为要先拷贝，只有图像要读不止一次时，用纹理才划算。在老设备上，纹理的好处更大，因为那时 L1 不缓存全局读取。

      *表面*（surface）是同一种数组，但既能读也能写。
      `surf2Dwrite(value, surface, x * sizeof(float), y)` 里的 x 以字节计；这个函数既不滤波，也不换算。核函数
      写进表面的内容，同一个核函数的纹理读取不一定看得到。请在下一次启动里再读。
    ]],
  },
  more = {
    en = [[
      Set the address mode to `cudaAddressModeBorder`. Which cases fail? Then try blocks of
      256 x 1, 32 x 8 and 8 x 32 threads, and compare `tex_hit_pct`. For a picture in colour, make
      the texels `uchar4`. Then one `tex2D<float4>` brings all four components.
    ]],
    zh = [[
      把寻址模式改成 `cudaAddressModeBorder`，看看哪些用例会失败。再试试 256 x 1、32 x 8、
      8 x 32 个线程的块，比较 `tex_hit_pct`。如果图像是彩色的，像素可以用 `uchar4`，
      一次 `tex2D<float4>` 就能取来全部四个分量。
    ]],
  },
}
