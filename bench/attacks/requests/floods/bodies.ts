/** Bodies that are small to send and dear to read. */

const MB = 1024 * 1024

/** A body with its media type. */
export interface HostileBody {
  readonly type: string
  readonly bytes: Buffer
}

const json = (text: string): HostileBody => ({ type: 'application/json', bytes: Buffer.from(text) })
const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',')
const object = (count: number) => `{${list(count, (i) => `"k${i}":${i}`)}}`

/** Members that public routes read, each with a hostile value; `bytes` is about how large a body may be there. */
export function jsonBodies(bytes: number): readonly HostileBody[] {
  const keys = object(Math.floor(bytes / 18))
  return [
    json(`{"receipt":${keys},"hashes":${keys},"cid":"x","spec":${keys}}`.slice(0, bytes * 2)),
    json(`{"receipt":{"spec":"rs-1","a":${object(400)}},"input":[${list(Math.floor(bytes / 4), () => '{}')}]}`),
    json(`{"receipt":${'['.repeat(60)}${']'.repeat(60)},"email":"${'a@'.repeat(Math.floor(bytes / 4))}"}`),
    json(`{"task":"${'\\u0041'.repeat(Math.floor(bytes / 7))}","email":"a@b.example"}`),
    json(`{"examples":[${list(Math.floor(bytes / 40), (i) => `{"input":"${i}","output":{"a":[1]}}`)}],"task":"x"}`),
    json(`{"a":1${'\n'.repeat(bytes - 100)}x`),
    json(`{"a":"${'\\"'.repeat(Math.floor(bytes / 2) - 100)}`),
    json('['.repeat(bytes - 100)),
    json(`{${list(Math.floor(bytes / 8), () => '"a":[]')}}`),
  ]
}

/** Compiles whose examples are refused at the last of them, so that all are read and none is compiled. */
export function inlineCompiles(): readonly HostileBody[] {
  const body = (examples: string) => json(`{"task":"x","mode":"async","examples":[${examples},{"input":1}]}`)
  return [
    body(list(9_999, (i) => `{"input":{"a":"${i}","b":[${i},${i}]},"output":"${'x'.repeat(1400)}"}`)),
    body(list(9_999, (i) => `{"input":"${i}","output":${i}}`)),
    body(list(150_000, () => '{}')),
    body(list(1000, (i) => `{"input":${object(50)},"output":${i}}`)),
    json(`{"task":"x","notes":${object(300_000)}}`),
  ]
}

/** Uploads that end with a row that is wrong. */
export function uploads(): readonly HostileBody[] {
  const rows = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('')
  const header = 'input,output\n'
  return [
    upload('a.csv', header + ','.repeat(15 * MB)),
    upload('a.csv', ','.repeat(5 * MB)),
    upload('a.csv', `${header}${rows(200_000, (i) => `${i},b\n`)}a\n`),
    upload('a.csv', `${header}"${'""'.repeat(2 * MB)}`),
    upload('a.csv', header + '\n'.repeat(4 * MB)),
    upload('a.csv', `${list(250, (i) => `c${i}`)},output\n${rows(3000, () => `${','.repeat(250)}\n`)}a\n`),
    upload('a.jsonl', `${rows(150_000, (i) => `{"input":${i},"output":1}\n`)}{}\n`),
    upload('a.jsonl', `${rows(60, () => `{"input":[${list(15_000, () => '[]')}],"output":1}\n`)}`),
    upload('a.jsonl', '\n'.repeat(4 * MB)),
    upload('a.jsonl', '\r\n--'.repeat(MB)),
    upload('a.jsonl', `{"input":"${'\r\n--Y'.repeat(500_000)}`),
    upload('a.csv', 'x', `{"task":"x",${list(10_000, (i) => `"k${i}":1`)}}`),
  ]
}

/** Dry runs on seeds of a megabyte. */
export function previews(): readonly HostileBody[] {
  const body = (seeds: string) => json(JSON.stringify({ spec: { name: 'x', task: 'x' }, seeds_jsonl_text: seeds }))
  return [
    body('{}\n'.repeat(300_000)),
    body('x\n'.repeat(9_999)),
    body(`{"input":[${list(60_000, () => '[]')}],"output":1}\n`.repeat(5)),
    body('\n'.repeat(MB)),
    json(`{"spec":${object(200_000)},"seeds_jsonl_text":""}`),
  ]
}

/** Runs and estimates whose input is large. */
export function runs(): readonly HostileBody[] {
  return [
    json(`{"concept_id":"cpt_0123456789abcdefghjkmnpqrs","input":[${list(19_000, () => '{}')}]}`),
    json(`{"concept_id":"cpt_0123456789abcdefghjkmnpqrs","input":"${'x'.repeat(MB - 200)}"}`),
    json(`{"concept_id":"x","input":${object(60_000)}}`),
    json(`{"task":"x","examples":[${list(9_000, (i) => `{"input":"${i}","output":${i}}`)}]}`),
  ]
}

/** Forms of a SAML answer. */
export function forms(): readonly HostileBody[] {
  const form = (text: string) => ({ type: 'application/x-www-form-urlencoded', bytes: Buffer.from(text) })
  const saml = (xml: string) => form(`SAMLResponse=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`)
  const attributes = Array.from({ length: 3500 }, (_, i) => `b${i}=""`).join(' ')
  return [
    saml(`<r>${'<a/>'.repeat(3900)}</r>`),
    saml(`<r>${'<a/>'.repeat(60_000)}</r>`),
    saml(`<a ${attributes}/>`),
    saml(`<a>${'&amp;'.repeat(60_000)}</a>`),
    saml('<'.repeat(250_000)),
    form(Array.from({ length: 100_000 }, (_, i) => `a${i}=`).join('&')),
    form(`SAMLResponse=${'%41'.repeat(100_000)}`),
    form('&'.repeat(400_000)),
  ]
}

function upload(name: string, text: string, spec = '{"task":"x","mode":"async"}'): HostileBody {
  const head = (disposition: string) => `--Y\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const bytes = Buffer.from(
    `${head('name="spec"')}${spec}\r\n${head(`name="file"; filename="${name}"`)}${text}\r\n--Y--\r\n`,
  )
  return { type: 'multipart/form-data; boundary=Y', bytes }
}
