import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../support/archives/archives.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { workbook } from '../../support/wire/workbook.ts'

describe('svc verify --recompute --rows', () => {
  let folder: string

  const svc = async (args: readonly string[]) => await runCli(args, { folder, profileDir: join(folder, 'no-profile') })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-test-'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('recomputes an archive of digests from a table with its mapping, and from a workbook', async () => {
    const own = join(folder, 'own-keys.json')
    await writeFile(own, JSON.stringify({ keys: [toJwk(fixedSigningKey().publicKey)] }))
    const rows = Array.from({ length: 12 }, (_, i) => [`item ${i * 7}, box`, `${i * 7}`] as const)
    const { archive } = await compileArchive(
      rows.map(([input, output], i) => ({ id: `row_${i + 1}`, input, output })),
      { floor: 0, workBudget: 200_000, rowsForm: 'digests' },
    )
    await writeFile(join(folder, 'digests.svc'), archive)
    const lines = rows.map(([input, output], i) => `${i};${output};${input}`)
    await writeFile(join(folder, 'rows.txt'), Buffer.from(`n;number;möbel\n${lines.join('\n')}\n`, 'latin1'))
    await writeFile(join(folder, 'rows.xlsx'), await workbook([{ name: 'Rows', rows: [['möbel', 'number'], ...rows] }]))
    const columns = ['--input', 'möbel', '--output', 'number', '--types', 'text']
    const verify = ['--json', 'verify', 'digests.svc', '--jwks', own, '--recompute', '--rows']
    const [table, sheet, other] = await Promise.all([
      svc([...verify, 'rows.txt', ...columns, '--delimiter', 'semicolon', '--encoding', 'latin1']),
      svc([...verify, 'rows.xlsx', ...columns]),
      svc([...verify, 'rows.txt', '--input', 'number', '--output', 'möbel', '--encoding', 'latin1']),
    ])
    expect(table.code, table.stdout + table.stderr).to.equal(0)
    expect(sheet.code, sheet.stdout + sheet.stderr).to.equal(0)
    expect(other.code, other.stdout).to.equal(1)
  })
})
