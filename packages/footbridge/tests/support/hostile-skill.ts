/** A skill with known attacks by markup. A successful one sets `window.taken`, opens a dialog, or sends a request. */

const SCRIPTS = `<script>window.taken = 1; alert(1)</script>

<img src=x onerror="window.taken = 2"> inline <img src="https://evil.example/pixel.png" onerror=alert(2)>

<svg onload="window.taken = 3"><script>alert(3)</script><a xlink:href="javascript:alert(4)"><text>x</text></a></svg>

<iframe src="https://evil.example/frame" srcdoc="<script>parent.taken = 4</script>"></iframe>

<object data="https://evil.example/object"></object><embed src="https://evil.example/embed">

<form action="https://evil.example/form"><button>send</button></form>

<style>@import url(https://evil.example/style.css); body { background: url(https://evil.example/back.png) }</style>

<link rel="stylesheet" href="https://evil.example/link.css"><meta http-equiv="refresh" content="0;url=https://evil.example/meta"><base href="https://evil.example/">

<details open ontoggle="window.taken = 5"><summary>x</summary></details>

<a href="javascript:window.taken=6">raw link</a>
`;

/** Every link here has a name that begins with "link". */
const LINKS = `[link javascript](javascript:window.taken=7)
[link mixed](JaVaScRiPt:window.taken=8)
[link entity](javascript&#58;window.taken=9)
[link entities](&#x6A;&#x61;vascript&colon;window.taken=10)
[link blank]( javascript:window.taken=11)
[link tab](java&Tab;script:window.taken=12)
[link newline](<java
script:window.taken=13>)
[link data](data:text/html,<script>opener.taken=14</script>)
[link vbscript](vbscript:msgbox)
[link blob](blob:https://evil.example/1)
[link file](file:///etc/passwd)
[link protocol](//evil.example/x)
[link out](../../../../etc/passwd)
[link encoded](..%2f..%2f..%2fetc%2fpasswd)
[link absolute](/mcp)
[link reference][bad]
[link title](https://example.org "quote&quot; onmouseover=&quot;window.taken=15")
<javascript:window.taken=16>
<https://example.org/"onmouseover="window.taken=17>
https://example.org/\`"'><script>window.taken=18</script>

[bad]: javascript:window.taken=19
`;

const IMAGES = `![image remote](https://evil.example/image.png)
![image script](javascript:window.taken=20)
![image data](data:image/svg+xml,<svg onload="window.taken=21"/>)
![image "onerror="window.taken=22](x.png)
![image drawing](drawing.svg)
`;

export const HOSTILE_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="window.taken = 23"><script>window.taken = 24</script><image href="https://evil.example/svg.png"/></svg>';

export const HOSTILE_SKILL = `---
name: hostile
description: "<img src=x onerror=window.taken=25> [d](javascript:window.taken=26) <script>window.taken=27</script>"
license: "<iframe src=https://evil.example/license></iframe>"
metadata:
  author: "<svg onload=window.taken=28>"
---

# Hostile <img src=x onerror=window.taken=29>

${SCRIPTS}

${LINKS}

${IMAGES}

| <script>window.taken=30</script> | \`<b>\` |
|---|---|
| <img src=https://evil.example/cell.png> | [cell](javascript:window.taken=31) |

\`\`\`html
<script>window.taken = 32</script>
\`\`\`

<!-- <script>window.taken = 33</script> -->

The end of it.
`;
