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
    c = scalar("0.8"),
    s = scalar("0.6"),
  },
  cases = {
    { width = 64, height = 64 },
    { width = 1, height = 1 },
    { width = 100, height = 37 },
    { width = 512, height = 512, timed = true },
  },
  hidden = { count = 3, width = { 1, 150 }, height = { 1, 150 } },
  goals = {
    correct { points = 4 },
    at_least("tex_load_pct", 50) {
      points = 1,
      en = "Nothing is read through a texture yet: `tex2D<float>(picture, x, y)`.",
      zh = "还没有通过纹理读取：`tex2D<float>(picture, x, y)`。",
    },
    at_most("gld_requests", 0.05 * baseline) {
      points = 2,
      en = "Pixels are still read by plain loads. Every read of the picture should go through the texture.",
      zh = "还有像素是用普通读取得到的。对图像的每次读取都应当通过纹理。",
    },
    at_most("inst_float", 0.55 * baseline) {
      points = 2,
      en = "The kernel still mixes pixels itself. Let the texture filter (`cudaFilterModeLinear`): one fetch for each output.",
      zh = "核函数还在自己混合像素。让纹理来滤波（`cudaFilterModeLinear`）：每个输出只取一次。",
    },
    at_least("tex_hit_pct", 85) {
      points = 1,
      en = "Sectors are evicted before the next warp uses them. Use square blocks, so that a block's reads lie close together in both directions.",
      zh = "取来的扇区，还没等下一个 warp 用到就被逐出了。请用方形的块，使一个块的读取在两个方向上都靠近。",
    },
  },

  steps = {
    say {
      en = [[
        To turn a picture, the lanes of one output row read along a slanted line of the input. So neighbouring lanes read pixels of different
        rows. The picture is stored row by row, so a warp touches many sectors and uses a few bytes of each.
      ]],
      zh = [[
        旋转图像时，输出的一行要沿着输入的一条斜线读取，相邻的 lane 读的是不同行的像素。而图像是按行存储的，所以一个线程束（warp）要访问许多扇区，每个扇区却只用几个字节。
      ]],
    },
    show {
      en = "32 lanes side by side read a picture with rows of 512 bytes, turned by about 37 degrees (each lane 0.8 pixels to the right of the lane before it, and 0.6 down):",
      zh = "32 个并排的 lane 读取一幅每行 512 字节、旋转约 37 度的图像（每个 lane 比前一个向右 0.8、向下 0.6 个像素）：",
      picture = "lanes",
      model = function(lane) return 512 * (lane * 6 // 10) + lane * 8 // 10 end,
    },
    show {
      en = "The same 32 lanes as two rows of 16, as in a block of 16 x 16 threads:",
      zh = "还是 32 个 lane，但排成两行、每行 16 个，与 16 x 16 的线程块里一样：",
      picture = "lanes",
      model = function(lane)
        local x, y = lane % 16, lane // 16
        local u, v = (8 * x - 6 * y) // 10 + 8, (6 * x + 8 * y) // 10
        return 512 * v + u
      end,
    },
    say {
      en = [[
        *Texture memory* is made for such reads. Textures lie in device memory behind a *texture cache* (6 to 8 KB on a G80's multiprocessor;
        today it is the L1). An *array*, `cudaArray_t`, is stored so that pixels close together in *two* directions share sectors. The closer
        together the lanes of a warp read, the better.

        Kernels can only read a texture. A *surface* is an array that kernels can also write: `surf2Dwrite(value, surface, x, y)`, where x counts
        bytes, not elements.

        The guide describes the texture unit of its time. Its latency was constant: a hit saved DRAM bandwidth and did *not* return sooner. Today
        the texture cache is the L1, and a hit does return sooner. The device here takes 86 cycles for a fetch that hits, and 289 for one that the
        L2 answers. A plain load that hits L1 takes 43.

        Textures have more advantages:

        - Reads that would be uncoalesced in global memory, or serialised in constant memory, get more bandwidth if they are close together.
        - Special units compute the addresses instead of the kernel, also at the edges of the picture.
        - One fetch brings a packed texel (such as `uchar4`) into several variables.
        - Integers of 8 or 16 bits become floats from 0 to 1 (or from -1 to 1, if signed) if you ask for it.
      ]],
      zh = [[
        *纹理内存*（texture）就是为这种读取准备的。纹理放在设备内存里，通过*纹理缓存*读取（G80 的每个多处理器有 6 到 8 KB，
        如今就是 L1）。*数组* `cudaArray_t` 的存储方式，使*两个*方向上都靠近的像素落在同一个扇区里；一个 warp 的各 lane 读的位置越靠近，效果越好。

        核函数只能读纹理。*表面*（surface）是核函数也能写的数组：`surf2Dwrite(value, surface, x, y)`，其中 x 数的是字节，不是元素。

        《CUDA 编程指南》说的是当年的纹理单元：延迟恒定，命中缓存能节省 DRAM 带宽，但*不会*更早返回。如今纹理缓存就是 L1，命中确实更早返回：在这里的设备上，命中的纹理读取要 86 个周期，
        由 L2 回应的要 289 个；命中 L1 的普通读取要 43 个。

        用纹理还有这些好处：

        - 在全局内存里不合并、在常量内存里会串行的读取，只要位置靠近，通过纹理就能得到更高的带宽。
        - 地址由专门的单元计算，不占用核函数的指令，图像边缘的处理也包括在内。
        - 打包的像素（例如 `uchar4`）一次读取就分到几个变量里。
        - 8 位和 16 位的整数可以按要求换成 0 到 1 的浮点数（有符号的换成 -1 到 1）。
      ]],
    },
    ask {
      en = "A kernel makes one texture fetch after the other, and each depends on the last. Now all its fetches begin to hit in the texture cache. What changes on a device whose texture cache is the L1?",
      zh = "某个核函数一次接一次地做纹理读取，后一次依赖前一次的结果。现在所有读取都变成命中纹理缓存。在纹理缓存就是 L1 的设备上，会有什么变化？",
      choices = {
        {
          en = "Only the time: each fetch returns sooner",
          zh = "只有时间变了：每次读取都更早返回",
          because = { en = "Each fetch does return sooner. But a hit also needs nothing from L2 and DRAM.", zh = "确实更早返回。不过命中也不再从 L2 和 DRAM 读数据。" },
        },
        {
          en = "Only the traffic: less from DRAM, at the same latency",
          zh = "只有流量变了：DRAM 流量减少，延迟不变",
          because = { en = "That was true in the guide's time, when a texture unit took as long for a hit as for a miss.", zh = "《CUDA 编程指南》那个年代的纹理单元是这样：命中与未命中用时一样。" },
        },
        { en = "Both: less traffic, and a shorter latency", zh = "两者都有：流量减少，延迟也缩短", right = true, because = { en = "86 cycles for a hit, 289 where the L2 answers.", zh = "命中 86 个周期，由 L2 回应则是 289 个。" } },
      },
    },
    ask {
      alone = true,
      en = "The elements of a surface are `float4`. A kernel writes element {c} of a row, counted from 0, by `surf2Dwrite(value, surface, x, y)`. Which x does it give?",
      zh = "表面的元素是 `float4`。核函数用 `surf2Dwrite(value, surface, x, y)` 写一行里的第 {c} 个元素（从 0 数）。x 应当是多少？",
      draw = { c = { from = { 3, 5, 9, 12 } } },
      answer = function(d) return 16 * d.c end,
      replies = {
        { function(d) return d.c end, en = "That is the number of the element. A texture fetch counts elements; a surface counts bytes.", zh = "这是元素的序号。纹理读取以元素计，表面以字节计。" },
        { function(d) return 4 * d.c end, en = "A `float` has 4 bytes; a `float4` has four of them.", zh = "一个 `float` 是 4 字节，一个 `float4` 有四个 `float`。" },
      },
      because = { en = "16 * {c}: an element has 16 bytes.", zh = "16 * {c}：一个元素占 16 字节。" },
    },
    ask {
      en = "The texels of a picture are `unsigned char`, and it is read with `cudaReadModeNormalizedFloat`. What does a fetch return for a texel of {v}?",
      zh = "图像的像素是 `unsigned char`，用 `cudaReadModeNormalizedFloat` 读取。像素值为 {v} 时，读到的是多少？",
      draw = { v = { 20, 240 } },
      answer = function(d) return d.v / 255 end,
      tolerance = 0.01,
      because = {
        en = "{v} / 255: 0 to 255 become 0 to 1 at no cost. Plain loads need a conversion and a multiplication for each pixel.",
        zh = "{v} / 255：0 到 255 变成 0 到 1，不需要指令。用普通读取，每个像素都要一次类型转换和一次乘法。",
      },
    },
    say {
      en = [[
        Texel i covers the coordinates from i to i + 1: *its centre is at i + 0.5*. With `cudaFilterModePoint` a fetch returns the texel that
        covers the place. With `cudaFilterModeLinear` it mixes the nearest texels by the distance from their centres (two in one dimension, four
        in two), with weights of 8 bits.

        So for whole x and y, `tex2D<float>(t, x + 0.5f, y + 0.5f)` is texel (x, y) itself in both modes.

        Outside the picture the *address mode* decides. `Clamp` takes the nearest texel at the edge, `Border` gives 0. `Wrap` and `Mirror` repeat
        the picture, but only with normalised coordinates (0 to 1 over the whole width).
      ]],
      zh = [[
        第 i 个像素占据坐标 i 到 i + 1：*中心在 i + 0.5*。用 `cudaFilterModePoint` 读取，得到的是覆盖该处的那个像素；
        用 `cudaFilterModeLinear`，则按到中心的距离混合最近的几个像素（一维两个，二维四个），权重是 8 位的。

        所以当 x、y 是整数时，`tex2D<float>(t, x + 0.5f, y + 0.5f)` 在两种模式下都恰好是像素 (x, y)。

        位置在图像之外时，由*寻址模式*决定结果：`Clamp` 取最近的边缘像素，`Border` 得到 0；`Wrap` 和 `Mirror` 重复图像，但只能用于归一化坐标（整个宽度为 0 到 1）。
      ]],
    },
    ask {
      en = "In one dimension, texel {i} is {a} and the next one is {b}. What does a linear fetch at x = {i} + 0.75 return?",
      zh = "在一维纹理里，第 {i} 个像素是 {a}，下一个是 {b}。用线性滤波在 x = {i} + 0.75 处读取，得到多少？",
      draw = { i = { 2, 9 }, a = { from = { 0, 40, 80 } }, b = { from = { 20, 120, 200 } } },
      answer = function(d) return 0.75 * d.a + 0.25 * d.b end,
      tolerance = 0.005,
      because = {
        en = "The centre of texel {i} is at {i} + 0.5. From there the place is a quarter of the way to the next centre: 0.75 * {a} + 0.25 * {b}.",
        zh = "第 {i} 个像素的中心在 {i} + 0.5。从这里算起，读取的位置在去往下一个中心的四分之一处：0.75 * {a} + 0.25 * {b}。",
      },
    },
    predict {
      en = "The baseline turns a picture of 64 x 64 pixels by plain loads, four for each output pixel. Its blocks are 256 wide and one high. How many load requests does it make? (Warps without a pixel make none.)",
      zh = "基线用普通读取旋转一幅 64 x 64 的图像，每个输出像素读四次；它的块宽 256、高 1。一共有多少个读请求？（没有像素的 warp 不产生请求。）",
      counter = "gld_requests",
      of = "baseline",
      case = { width = 64, height = 64 },
      tolerance = 0,
      because = {
        en = "64 rows of 2 warps with pixels, with 4 requests each: 512. Filtered fetches need 128, one for each warp.",
        zh = "64 行，每行 2 个有像素的 warp，每个 warp 4 个请求：512。改用滤波读取就是 128 个，每个 warp 一个。",
      },
    },
    say {
      en = [[
        A texture object is made from two descriptions: which memory to read (`what`), and how to read it (`how`).

            cudaResourceDesc what = {};
            what.resType = cudaResourceTypeArray;
            what.res.array.array = array;

            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = ...;
            how.filterMode = ...;
            how.readMode = ...;

            cudaTextureObject_t picture;
            cudaCreateTextureObject(&picture, &what, &how, nullptr);

        The object is a number. Pass it to the kernel as an argument, and destroy it with `cudaDestroyTextureObject`.
      ]],
      zh = [[
        建立一个纹理对象要两份描述：读哪块内存（`what`），怎样读（`how`）。

            cudaResourceDesc what = {};
            what.resType = cudaResourceTypeArray;
            what.res.array.array = array;

            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = ...;
            how.filterMode = ...;
            how.readMode = ...;

            cudaTextureObject_t picture;
            cudaCreateTextureObject(&picture, &what, &how, nullptr);

        对象本身是一个数，作为参数传给核函数；用完以后调用 `cudaDestroyTextureObject`。
      ]],
    },
    exercise {
      en = [[
        The skeleton copies the picture into an array but does not use the array. Read the picture through a texture that clamps, converts and
        mixes: one fetch for each output, in square blocks. The skeleton fills the array; you write the rest.
      ]],
      zh = [[
        骨架代码把图像拷贝到数组里，却没有使用这个数组。请改为通过纹理读取：边缘处理、换算、混合都交给纹理，每个输出只取一次，并使用方形的块。数组已经填好，其余由你完成。
      ]],
    },
    show { en = "The plain loads and stores that are left:", zh = "剩下的普通读取和写入：", picture = "sectors", of = "mine" },
    compare {
      en = "Fewer requests, and less arithmetic:",
      zh = "请求更少，运算也更少：",
      counters = { "gld_requests", "tex_requests", "tex_sectors", "tex_hit_pct", "inst_fp32", "inst_convert", "inst_int", "warp_inst" },
      beside = "baseline",
    },
    ask {
      en = "Only an array keeps neighbours in two directions together, and to fill it you copy the whole picture. On an H200 this lab's two kernels take about the same time (measured). When does a texture pay?",
      zh = "要有两个方向上的邻近布局，就得用数组，而填充数组要把整幅图像拷贝一遍。在 H200 上实测，本实验的两个核函数用时差不多。纹理什么时候划算？",
      choices = {
        {
          en = "When lanes read along the rows: the texture cache is faster than the L1",
          zh = "各 lane 沿着行读的时候：纹理缓存比 L1 快",
          because = {
            en = "Today the texture cache is the L1. Along the rows plain loads coalesce already: 2048 x 2048 floats take 12.6 us, and 14.7 us by texture.",
            zh = "如今纹理缓存就是 L1。沿着行的普通读取本来就是合并的：2048 x 2048 个 float 用 12.6 微秒，通过纹理要 14.7 微秒。",
          },
        },
        {
          en = "When reads are near each other in two directions, but not along the rows, and the picture is read more than once",
          zh = "读取在两个方向上都靠近，但不是沿着行，而且图像要读不止一次的时候",
          right = true,
          because = {
            en = "Down the columns 34.4 us became 15.4 us. Turned by 45 degrees and filtered, 19.5 us became 13.6 us. After several reads that saves more than the copy costs.",
            zh = "沿着列读取，从 34.4 微秒降到 15.4 微秒；旋转 45 度并带滤波，从 19.5 微秒降到 13.6 微秒。多读几次，省下的时间就超过拷贝的开销。",
          },
        },
        {
          en = "When each lane reads at a random place",
          zh = "每个 lane 都读随机位置的时候",
          because = {
            en = "Then the cache holds nothing that is used again. Each fetch brings a sector for one texel, as a load would.",
            zh = "那样缓存里没有可以重用的数据：每次读取都为一个像素取来一个扇区，与普通读取一样。",
          },
        },
        {
          en = "When a kernel writes the picture and reads it again at once",
          zh = "核函数写出图像、紧接着自己又要读的时候",
          because = {
            en = "Textures are read-only. If a kernel writes through a surface, its own fetches may not see the new values.",
            zh = "纹理只能读。核函数通过表面写入的内容，它自己的纹理读取不一定看得到。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = "The description `how` has a field for each thing that `pixel` does, and for the mixing after it. Which three fields?",
      zh = "`pixel` 所做的每件事，以及后面的混合，在描述 `how` 里都有对应的字段。是哪三个？",
    },
    {
      en = "`cudaAddressModeClamp`, `cudaFilterModeLinear`, `cudaReadModeNormalizedFloat`; leave the coordinates unnormalised. The kernel takes a `cudaTextureObject_t` in place of the pointer. It fetches at u and v, each plus half a pixel.",
      zh = "`cudaAddressModeClamp`、`cudaFilterModeLinear`、`cudaReadModeNormalizedFloat`；坐标不要归一化。核函数的指针参数换成 `cudaTextureObject_t`，在 u、v 各加半个像素的位置读取。",
    },
    {
      en = [[
        The kernel ends with

            out[y * width + x] =
                tex2D<float>(picture, u + 0.5f, v + 0.5f);

        and i, j, f, g and `pixel` go. Launch with `dim3 block(16, 16)` and pass `picture`. After the launch, destroy the object and free the
        array.
      ]],
      zh = [[
        核函数最后写

            out[y * width + x] =
                tex2D<float>(picture, u + 0.5f, v + 0.5f);

        i、j、f、g 和 `pixel` 都不要了。启动时用 `dim3 block(16, 16)`，把 `picture` 传进去；启动之后销毁对象、释放数组。
      ]],
    },
  },

  after = {
    en = [[
      What a texture gains for 2048 x 2048 floats with a cold cache, measured on an H200:

                                     plain loads    texture
          along the rows               12.6 us      14.7 us
          down the columns             34.4 us      15.4 us
          turned by 45 degrees         19.5 us      13.6 us   (filtered)

      Along the rows plain loads coalesce, and the texture is slower. In other directions the texture wins: the turned picture found 81% of
      its sectors in the cache. These times leave out the copy that fills the array, so a texture pays only if the picture is read more than once.
      And L1 caches global loads too today, so the difference is smaller than it was.

      A *surface* is the same array, opened for reading and writing: `surf2Dwrite(value, surface, x * sizeof(float), y)`, with x in bytes,
      without filter or conversion. A kernel's own texture fetches may not see what it writes to a surface. Read it in the next launch.
    ]],
    zh = [[
      纹理能省多少时间？在 H200 上实测，2048 x 2048 个 float，缓存是冷的：

                              普通读取      纹理
          沿着行              12.6 微秒     14.7 微秒
          沿着列              34.4 微秒     15.4 微秒
          旋转 45 度          19.5 微秒     13.6 微秒  （带滤波）

      沿着行读时普通读取是合并的，纹理反而慢一些。在其他方向上纹理更快：旋转图像时请求的扇区，81% 在缓存里命中。这些时间不包括填充数组的那次拷贝，所以图像要读不止一次才划算。
      而且如今 L1 也缓存全局读取，差距已经比从前小了。

      *表面*（surface）是同一种数组，但既能读也能写：`surf2Dwrite(value, surface, x * sizeof(float), y)`，x 以字节计，没有滤波，也不做换算。
      核函数写进表面的内容，它自己的纹理读取不一定看得到：要到下一次启动再读。
    ]],
  },
  more = {
    en = [[
      Set the address mode to `cudaAddressModeBorder` and find the cases that fail. Then try blocks of 256 x 1, 32 x 8 and 8 x 32, and compare
      `tex_hit_pct`. For a picture in colour, one `tex2D<float4>` of `uchar4` texels brings all four channels.
    ]],
    zh = [[
      把寻址模式改成 `cudaAddressModeBorder`，看看哪些用例会失败。再试试 256 x 1、32 x 8、8 x 32 的块，比较 `tex_hit_pct`。如果图像是彩色的：像素用 `uchar4`，一次 `tex2D<float4>` 就能取来全部四个通道。
    ]],
  },
}
