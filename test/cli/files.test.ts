import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { mappingOf } from '../../cli/compile/files/mapping-options.ts'
import { useApi, givenApiTenant } from '../support/api.ts'
import { runCli } from '../support/run-cli.ts'

describe('files of the CLI', () => {
  const api = useApi()
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-files-'))
  })
  after(async () => await rm(folder, { recursive: true, force: true }))

  const preview = async (name: string, text: string, ...flags: string[]) => {
    const file = join(folder, name)
    await writeFile(file, text)
    const { key } = await givenApiTenant(api)
    const env = { SVC_URL: api.url, SVC_API_KEY: key }
    const { code, stdout, stderr } = await runCli(['compile', file, '--preview', ...flags], {
      profileDir: folder,
      folder,
      env,
    })
    return { code, text: stripVTControlCharacters(stdout), stderr }
  }

  it('say how they are read by flags of the names that the API has', () => {
    expect(mappingOf({})).to.equal(undefined)
    expect(
      mappingOf({
        input: ['a', 'b'],
        output: 'c',
        delimiter: 'tab',
        encoding: 'latin1',
        header: false,
        ragged: 'skip',
      }),
    ).to.deep.equal({
      input: ['a', 'b'],
      output: 'c',
      delimiter: '\t',
      encoding: 'iso-8859-1',
      header: false,
      ragged: 'skip',
    })
    expect(() => mappingOf({ encoding: 'ebcdic' })).to.throw('--encoding: ebcdic is not one of utf-8')
  })

  it('are previewed as a table', async () => {
    const rows = 'Name;Born;Short\nAda Lovelace;1815;AL\nAlan Turing;1912;AT\nAlan Turing;1912;AT\n'
    const { code, text, stderr } = await preview('people.csv', rows)
    expect(code, stderr).to.equal(0)
    expect(text).to.match(/^delimiter +semicolon \(/m)
    expect(text).to.match(/^answer +Short \(the last column/m)
    expect(text).to.match(/^Born +input +number +3 +0 +1815 · 1912$/m)
    expect(text).to.match(/^duplicates +1: line 4$/m)
    expect(text).to.include('Ready to compile.')
  })

  it('that a compile would refuse are previewed with the reason, and exit 2', async () => {
    const { code, text } = await preview('ragged.txt', 'Name\tShort\nAda\tA\nBob\nCy\tC\n')
    expect(code).to.equal(2)
    expect(text).to.match(/A compile would be refused:\n {2}line\[3\]: has 1 cell/)
    const skipped = await preview('ragged.txt', 'Name\tShort\nAda\tA\nBob\nCy\tC\n', '--ragged', 'skip')
    expect(skipped.code, skipped.stderr).to.equal(0)
  })
})
