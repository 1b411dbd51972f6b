import iconv from 'iconv-lite'
import type { TableMapping } from '../../../../core/compile/rows/table/mapping.ts'

const MB = 1024 * 1024

/** A file, the code that refuses it, and what its message names: the place, then the remedy. */
export interface Malformed {
  readonly what: string
  readonly name?: string
  readonly bytes: string | Uint8Array | (() => Promise<Uint8Array>)
  readonly mapping?: TableMapping
  readonly code?: string
  readonly place: RegExp
  readonly remedy: RegExp
}

/** Texts that no compile takes. */
export const MALFORMED_TEXTS: readonly Malformed[] = [
  { what: 'an empty file', bytes: '', code: 'no_examples', place: /^file:/, remedy: /save the table again/ },
  {
    what: 'only blank lines',
    bytes: '\n \r\n\n',
    code: 'no_examples',
    place: /^file:/,
    remedy: /save the table again/,
  },
  {
    what: 'a header only',
    bytes: 'input,output\n',
    code: 'no_examples',
    place: /^file: holds a header/,
    remedy: /add rows/,
  },
  {
    what: 'one row',
    bytes: 'input,output\na,b\n',
    code: 'too_few_examples',
    place: /^examples:/,
    remedy: /at least two/,
  },
  { what: 'a short row', bytes: 'a,b,c\n1,2,3\n4,5\n', place: /^line\[3\]: has 2 cells/, remedy: /ragged: "skip"/ },
  { what: 'a long row', bytes: 'a,b\n1,2\n3,4,5\n6,7\n', place: /^line\[3\]: has 3 cells/, remedy: /correct the row/ },
  {
    what: 'an open quotation mark',
    bytes: 'a,b\nx,"y\nz,w\n',
    place: /^line\[2\]: column 3:/,
    remedy: /close it, or double/,
  },
  { what: 'a stray quotation mark', bytes: 'a,b\nx,5" pipe\n', place: /^line\[2\]: column 4:/, remedy: /double those/ },
  { what: 'text after a quotation mark', bytes: 'a,b\n"x"y,z\n', place: /^line\[2\]: column 4:/, remedy: /double/ },
  { what: 'one column', bytes: 'word\nalpha\nbeta\n', place: /^file: has no input/, remedy: /check the delimiter/ },
  {
    what: '300 columns',
    bytes: `${Array.from({ length: 300 }, (_, i) => `c${i}`).join(',')}\n`,
    place: /^line\[1\]: column \d+: has more than 256 columns/,
    remedy: /remove those/,
  },
  { what: 'a name twice', bytes: 'a,b,a\n1,2,3\n4,5,6\n', place: /^header: .*columns 1 and 3/, remedy: /rename one/ },
  {
    what: 'a column __proto__',
    bytes: '__proto__,b\n1,2\n3,4\n',
    place: /^header: names column 1/,
    remedy: /rename it/,
  },
  {
    what: 'two answers',
    bytes: 'q,output,answer\na,1,2\nb,3,4\n',
    place: /^header: .*output \(column 2\) and answer \(column 3\)/,
    remedy: /name one of them/,
  },
  {
    what: 'two answers for one input',
    bytes: 'q,answer\na,1\nb,2\na,3\n',
    code: 'contradictory_examples',
    place: /^line\[2\]: .*lines 2 and 4/,
    remedy: /keep the right row/,
  },
  {
    what: 'an unknown answer column',
    bytes: 'a,b\n1,2\n',
    mapping: { output: 'c' },
    place: /^mapping\.output: names the column "c"/,
    remedy: /the file has a and b/,
  },
  {
    what: 'an unknown input column',
    bytes: 'a,b\n1,2\n',
    mapping: { input: ['x'] },
    place: /^mapping\.input: names the column "x"/,
    remedy: /the file has a and b/,
  },
  {
    what: 'an answer that is an input too',
    bytes: 'a,b\n1,2\n3,4\n',
    mapping: { input: ['a', 'b'], output: 'b' },
    place: /^mapping\.input: names the column "b"/,
    remedy: /remove it/,
  },
  {
    what: 'mixed encodings',
    bytes: Buffer.concat([Buffer.from('a,b\nÉtude,x\n'), Buffer.from('caf\xe9,y\n', 'latin1')]),
    code: 'invalid_encoding',
    place: /^line\[3\]: column 4:/,
    remedy: /save the whole file as UTF-8/,
  },
  {
    what: 'a wrong encoding',
    bytes: Buffer.from('a,b\nx,y\ncaf\xe9,y\n', 'latin1'),
    mapping: { encoding: 'utf-8' },
    code: 'invalid_encoding',
    place: /^line\[3\]: column 4:/,
    remedy: /name its encoding/,
  },
  {
    what: 'bytes that the encoding lacks',
    bytes: Buffer.from([...Buffer.from('a,b\nx,'), 0x82, 0x0a, 0x7a, 0x2c, 0xff, 0xff, 0x0a]),
    mapping: { encoding: 'shift_jis' },
    code: 'invalid_encoding',
    place: /^line\[\d\]: column \d+:/,
    remedy: /name its encoding/,
  },
  { what: 'NUL bytes', bytes: 'a,b\nx,\0\n', code: 'invalid_encoding', place: /^line\[2\]:/, remedy: /save it as CSV/ },
  {
    what: 'half a character in UTF-16',
    bytes: iconv.encode('a,b\nx,\ud83d\nz,w\n', 'utf-16le', { addBOM: true }),
    code: 'invalid_encoding',
    place: /^line\[2\]/,
    remedy: /surrogate|save the file as UTF-8/,
  },
  {
    what: 'a row of a million characters',
    bytes: `a,b\n${'x'.repeat(MB)},y\n`,
    code: 'example_too_large',
    place: /^line\[2\]:/,
    remedy: /line ends/,
  },
  {
    what: 'a quotation mark that swallows the rest',
    bytes: `a,b\n"x,y\n${'z,w\n'.repeat(30_000)}`,
    code: 'example_too_large',
    place: /^line\[2\]: column 1:/,
    remedy: /quotation mark .* may lack its partner/,
  },
  {
    what: 'a cell beyond the size of an example',
    bytes: `a,b\n${'x'.repeat(20_000)},y\nz,w\n`,
    code: 'example_too_large',
    place: /^line\[2\]/,
    remedy: /at most 10240 are allowed/,
  },
  {
    what: 'JSON with a missing comma',
    name: 'rows.json',
    bytes: '[\n {"a":1,"b":2},\n {"a":3 "b":4}\n]',
    code: 'invalid_json',
    place: /^line\[3\]: column 9:/,
    remedy: /check commas/,
  },
  {
    what: 'a JSON list that is cut off',
    name: 'rows.json',
    bytes: '[{"a":1,"b":2},\n{"a":3,',
    code: 'invalid_json',
    place: /^line\[2\]: column 1:/,
    remedy: /save it again/,
  },
  {
    what: 'a JSON object in place of a list',
    name: 'rows.json',
    bytes: '{"a":1}',
    code: 'invalid_json',
    place: /^line\[1\]: column 1:/,
    remedy: /list of objects/,
  },
  {
    what: 'a list of texts',
    name: 'rows.json',
    bytes: '["a", "b"]',
    place: /^line\[1\]: must be an object/,
    remedy: /such as \{"input"/,
  },
  {
    what: 'a broken line of JSONL',
    name: 'rows.jsonl',
    bytes: '{"input":1,"output":2}\n{"input":3,output:4}\n',
    code: 'invalid_json',
    place: /^line\[2\]: column 12:/,
    remedy: /check commas/,
  },
  {
    what: 'JSONL without an input',
    name: 'rows.jsonl',
    bytes: '{"input":1,"output":2}\n{"output":3}\n',
    place: /^line\[2\]\.input:/,
    remedy: /is missing/,
  },
]
