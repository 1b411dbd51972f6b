import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { mappingOf } from '../../cli/compile/files/mapping-options.ts'
import { useApi, givenApiTenant } from '../support/api.ts'
import { runCli } from '../support/cli/run-cli.ts'

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
        totals: 'keep',
      }),
    ).to.deep.equal({
      input: ['a', 'b'],
      output: 'c',
      delimiter: '\t',
      encoding: 'iso-8859-1',
      header: false,
      ragged: 'skip',
      totals: 'keep',
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

  it('that the server refuses before their end are refused in one line', async () => {
    const { code, stderr } = await preview('long.csv', `input,output\n${'x'.repeat(12_000_000)}`)
    expect([code, stderr.trim().split('\n')]).to.deep.equal([
      2,
      [
        'error: line[2]: is longer than 327680 bytes; check the line ends of the file, or shorten the row (example_too_large)',
      ],
    ])
  })

  it('with rows that no compile learns from are previewed with the reason, and exit 2', async () => {
    const few = await preview('few.csv', 'input,output\na,A\nb,\n')
    expect(few.code, few.stderr).to.equal(2)
    expect(few.text).to.match(/^no answer +1 row has no answer: not learned from \(line 3\)/m)
    expect(few.text).to.include('examples: must have at least two examples with different inputs')
    const split = await preview('split.csv', 'input,output\na,A\na,B\nb,C\n')
    expect([split.code, split.text.includes('A compile would be refused')]).to.deep.equal([2, true])
  })

  it('that a compile would refuse are previewed with the reason, and exit 2', async () => {
    const { code, text } = await preview('ragged.txt', 'Name\tShort\nAda\tA\nBob\nCy\tC\n')
    expect(code).to.equal(2)
    expect(text).to.match(/A compile would be refused:\n {2}line\[3\]: has 1 cell/)
    expect(text).to.contain('leave such rows out (--ragged skip)')
    const unknown = await preview('ragged.txt', 'Name\tShort\nAda\tA\nBob\tB\n', '--output', 'Shrt')
    expect(unknown.stderr).to.contain('--output: names the column "Shrt", the file has Name and Short')
    const skipped = await preview('ragged.txt', 'Name\tShort\nAda\tA\nBob\nCy\tC\n', '--ragged', 'skip')
    expect(skipped.code, skipped.stderr).to.equal(0)
  })

  it('with a total at their foot are previewed with its line, and leave it out when asked', async () => {
    const rows = 'item;amount\nrice;12\noats;30\nrye;7\nTotal;49\n'
    const kept = await preview('totals.csv', rows)
    expect(kept.code, kept.stderr).to.equal(0)
    expect(kept.text).to.match(/^total +likely: line 5 \(--totals skip: left out\)$/m)
    expect(kept.text).to.match(/^rows +4\b/m)
    const skipped = await preview('totals.csv', rows, '--totals', 'skip')
    expect(skipped.code, skipped.stderr).to.equal(0)
    expect(skipped.text).to.match(/^rows +3\b/m)
  })
})
