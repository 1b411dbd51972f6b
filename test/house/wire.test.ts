import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'

const ROOT = resolve(import.meta.dirname, '../..')
/** The public keys are a file format as well, so their schema stands with the keys. */
const HOMES = /^core\/(?:\w+\/wire\/.*|ledger\/keys\/jwk)\.ts$/
/** Settings of people are a document of their own area, stored and answered in one form. */
const BODY_HOMES = /^core\/(?:\w+\/wire\/.*|accounts\/settings)\.ts$/

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '')
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The file that a name of another file is imported from; undefined for a name that is not imported. */
function homeOf(file: string, name: string): string | undefined {
  for (const [, names = '', source = ''] of textOf(file).matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm)) {
    const imported = names.split(',').map((each) => each.trim().replace(/^type /, ''))
    if (imported.includes(name)) return join(dirname(file), source)
  }
  return undefined
}

function namesIn(file: string, pattern: RegExp): string[] {
  return [...textOf(file).matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

describe('the schemas of the wire', () => {
  const api = files.filter((file) => file.startsWith('api/'))

  it('stand there, or in the file of the one route that they are for', () => {
    const strangers = api.flatMap((file) =>
      namesIn(file, /^\s+(?:body|multipart): ([A-Z]\w*|\w+Body)\b/gm)
        .concat(namesIn(file, /\benvelope\(\s*(?:'[^']*'|`[^`]*`),\s*([A-Z]\w*)/g))
        .map((name) => ({ file, name, home: homeOf(file, name) }))
        .filter(({ home }) => home !== undefined && !BODY_HOMES.test(home))
        .map(({ name }) => `${file}: ${name}`),
    )
    expect(strangers).to.deep.equal([])
  })

  it('stand there when a second file reads them', () => {
    const shared = api.flatMap((file) =>
      namesIn(file, /^export (?:const|function) ([A-Z]\w*(?:Answer|Body|View))\b/gm).map((name) => `${file}: ${name}`),
    )
    expect(shared).to.deep.equal([])
  })

  it('check every answer that the CLI and the quickstart read', () => {
    const clients = files.filter((file) => /^(?:cli\/(?!client\/)|quickstart\/)/.test(file))
    const calls = clients.flatMap((file) =>
      namesIn(file, /\.call\(\s*(?:`[^`]*`|'[^']*'),\s*(\w+)/g)
        .concat(namesIn(file, /\breadAnswer\(await [^\n]*, (\w+)\)/g))
        .concat(namesIn(file, /\breadAnswer\(\w+, (\w+)\)/g))
        .map((name) => ({ file, name })),
    )
    expect(calls).to.have.length.greaterThan(15)
    const strangers = calls.filter(({ file, name }) => !HOMES.test(homeOf(file, name) ?? ''))
    expect(strangers).to.deep.equal([])
    const own = files
      .filter((file) => /^cli\/(?:client|accounts|billing|compile)\//.test(file))
      .filter((file) => /\bz\.(?:strictObject|looseObject|object)\(|\.json\(\)\)? as /.test(textOf(file)))
    expect(own).to.deep.equal([])
  })
})
