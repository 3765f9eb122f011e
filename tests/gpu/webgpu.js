// SPDX-License-Identifier: MIT
//
// webgpu: tables by WebGPU in Chromium. Serves the tree and pages to the browser, whose pages send back what
// they found.
//
//     node webgpu.js BROWSER DIR NAME     tests/gpu/webgpu.html makes DIR/k.NAME of DIR/k.in, which
//                                         tests/gpu/tables.c wrote and checks; then examples/gpu/webgpu.html
//                                         with DIR/increments.json, and the heat map of docs/explorer.html
//
// SwiftShader, the software renderer that Chromium brings along, is the device. Exit status 77 without WebGPU.
const fs = require('fs'), http = require('http'), path = require('path'), { spawn } = require('child_process');
const [browser, dir, name] = process.argv.slice(2);
const types = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json' };
// A page shows what it found in an element; this sends it, once.
const sender = (id, name) => `<script type="module">
const said = document.getElementById('${id}');
const send = () => { seen.disconnect(); fetch('/done', { method: 'POST', body: '${name}: ' + said.textContent }); };
const seen = new MutationObserver(send);
if (said.textContent.length > 3) send(); else seen.observe(said, { childList: true });
</script>`;
const senders = { '/examples/gpu/webgpu.html': sender('said', 'example'), '/docs/explorer.html': sender('gpu', 'explorer') };
const pages = ['tests/gpu/webgpu.html', 'examples/gpu/webgpu.html', 'docs/explorer.html',
    'docs/explorer.html#d=512&base=500000&p=131072', 'docs/explorer.html#d=2&base=1000000&p=2147483520'];
let child, status = 0;

function next(url) {
    child?.kill();
    if (pages.length === 0) process.exit(status);
    const page = pages.shift();
    child = spawn(browser, ['--headless=new', '--no-sandbox', '--disable-gpu-sandbox', '--enable-unsafe-webgpu',
        '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan', '--disable-background-networking',
        `--user-data-dir=${dir}/profile`, `${url}/${page}`],
        { stdio: ['ignore', 'ignore', fs.openSync(`${dir}/browser.log`, 'w')] });
}
function body(request, then) {
    const parts = [];
    request.on('data', part => parts.push(part)).on('end', () => then(Buffer.concat(parts)));
}
function file(url) {
    if (/^\/\d+\.in$/.test(url)) return path.join(dir, url);
    if (url === '/examples/gpu/increments.json') return path.join(dir, 'increments.json');
    return path.join('.', path.normalize(url));
}
const server = http.createServer((request, response) => {
    const url = request.url;
    if (request.method === 'POST') return body(request, data => {
        response.end();
        if (/^\/\d+$/.test(url)) return fs.writeFileSync(`${dir}${url}.${name}`, data);
        const text = data.toString();
        console.log(text);
        if (text.includes('no WebGPU')) status = 77;
        else if (!/^tables: \d+ made|, 0 wrong, 0 pairs undecided$|, 0 with other bits.*, 0 pairs undecided\.$/.test(text))
            status = 1;
        next(`http://localhost:${server.address().port}`);
    });
    try {
        response.setHeader('Content-Type', types[path.extname(url)] || 'application/octet-stream');
        response.end(Buffer.concat([fs.readFileSync(file(url)), Buffer.from(senders[url] || '')]));
    } catch (e) {
        response.statusCode = 404;
        response.end();
    }
}).listen(0, () => next(`http://localhost:${server.address().port}`));
setTimeout(() => {
    console.log('the browser has not answered for two minutes');
    child.kill();
    process.exit(1);
}, 120000);
