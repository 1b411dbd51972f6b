import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { cutAfterRow } from '../../cli/compile/run/row-scanner.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../support/api.ts'
import { givenProgramVersion } from '../support/archives/signed-artifacts.ts'
import { sendSql } from '../support/db/send-sql.ts'
import { setUpOperation } from '../support/people/given-members.ts'
import { runCli, runCliOnTerminal } from '../support/cli/run-cli.ts'
import { useDatabase } from '../support/stack/postgres.ts'

/** Units of the compile that the tenant has. */
const OF_COMPILE = 10

describe('svc run --csv', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), limits: { quota_free: 100 + OF_COMPILE } })
  let folder: string
  let tenant: ApiTenant
  let conceptId: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-run-file-'))
    tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    ;({ conceptId } = await givenProgramVersion(op, api.server.services.signingKeys.current))
    const login = await svc('login', '--key', tenant.key)
    expect(login.code, login.stderr).to.equal(0)
  })
  after(async () => await rm(folder, { recursive: true, force: true }))
  const svc = async (...args: string[]) =>
    await runCli(args, { profileDir: join(folder, 'profile'), folder, env: { SVC_URL: api.url } })
  const text = async (name: string) => await readFile(join(folder, name), 'utf8')

  it('stops at the end of the quota, continues by itself, and proves its rows', async () => {
    const rows = Array.from({ length: 150 }, (_, i) => `"row, ${i + 1}"`)
    await writeFile(join(folder, 'in.csv'), ['note', ...rows, ''].join('\n'))
    const args = ['run', conceptId, '--csv', 'in.csv', '--out', 'out.csv']
    const stopped = await svc(...args)
    expect(stopped.code, stopped.stderr).to.equal(1)
    expect(stopped.stderr).to.match(/stopped after row 100 of 150 \(quota_exhausted\)/)
    expect(stopped.stderr).to.match(/The quota resets on \d{4}-\d\d-01T00:00:00Z\. svc usage/)
    expect((await text('out.csv.part')).trimEnd().split('\r\n')).to.have.length(101)
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    const finished = await svc(...args, '--resume')
    expect(finished.code, finished.stderr).to.equal(0)
    expect(finished.stderr).to.match(/continuing at row 101/)
    // The verifier of this artifact has no check of inputs, so that no row can be unlike the examples.
    expect(finished.stdout).to.equal(
      'out.csv: 150 answered, 0 abstained, 0 unlike the examples, 0 errors, 150 units charged\n',
    )
    const lines = (await text('out.csv')).trimEnd().split('\r\n')
    expect(lines.slice(1).map((line) => line.split('"')[3])).to.deep.equal(
      rows.map((row) => row.slice(1, -1).toUpperCase()),
    )

    const again = await svc(...args)
    expect(again.code).to.equal(2)
    expect(again.stderr).to.match(/out\.csv exists: use --force/)

    const verified = await svc('receipt', 'out.csv', '--row', '7', '--json')
    expect(verified.code, verified.stderr + verified.stdout).to.equal(0)
    const report = JSON.parse(verified.stdout)
    expect(report).to.include({ ok: true, signature: 'trusted', rows: 150 })
    expect(report.proof).to.include({ row: 7, size: 150, root: report.root_hash })
    // The console's downloads have the byte order mark, which is no part of a row.
    await writeFile(join(folder, 'out.csv'), `\ufeff${(await text('out.csv')).replace(/^note,/, '"note",')}`)
    expect((await svc('receipt', 'out.csv')).code).to.equal(0)
    await writeFile(join(folder, 'out.csv'), (await text('out.csv')).replace('ROW, 9', 'ROW, 8'))
    expect((await svc('receipt', 'out.csv')).code).to.equal(1)
  })

  // `script` gives a command a terminal of its own; it comes with every Linux.
  const onTerminal = existsSync('/usr/bin/script') ? it : it.skip
  onTerminal('asks on a terminal before it overwrites, and shows a bar', async () => {
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    await writeFile(
      join(folder, 'few.csv'),
      ['note', ...Array.from({ length: 20 }, (_, i) => `row ${i}`), ''].join('\n'),
    )
    await writeFile(join(folder, 'few.out.csv'), 'earlier')
    const run = async (answer: string) =>
      await runCliOnTerminal(
        ['run', conceptId, '--csv', 'few.csv', '--out', 'few.out.csv'],
        { profileDir: join(folder, 'profile'), folder, env: { SVC_URL: api.url } },
        { after: '[y/N] ', keys: answer },
      )
    const refused = await run('n\r')
    expect(refused.text).to.contain('few.out.csv exists. Overwrite it? [y/N]').and.contain('no file was changed')
    expect([refused.code, await text('few.out.csv')]).to.deep.equal([130, 'earlier'])
    const agreed = await run('y\r')
    expect(agreed.code, agreed.text).to.equal(0)
    expect(agreed.text).to.match(/ 100 % \| 20 of 20 rows \| \d+ rows\/s \| \S+ left/)
    expect((await text('few.out.csv')).trimEnd().split('\r\n')).to.have.length(21)
  })

  it('cuts a header without a row, which comes again with row 1', async () => {
    const part = join(folder, 'head.csv.part')
    await writeFile(part, 'note,row,output\r\n"x')
    expect(await cutAfterRow(part, 'csv')).to.equal(0)
    expect(await text('head.csv.part')).to.equal('')
    await writeFile(part, 'note,row,output\r\nx,1,X\r\ny,2')
    expect(await cutAfterRow(part, 'csv')).to.equal(1)
    expect(await text('head.csv.part')).to.equal('note,row,output\r\nx,1,X\r\n')
  })

  it('keeps the answers of a batch that the server has forgotten', async () => {
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    await writeFile(join(folder, 'long.jsonl'), Array.from({ length: 150 }, (_, i) => `"row\u2028 ${i}"`).join('\n'))
    const args = ['run', conceptId, '--csv', 'long.jsonl', '--out', 'long.out.jsonl']
    expect((await svc(...args)).code).to.equal(1)
    const paid = await text('long.out.jsonl.part')
    expect(paid.trimEnd().split('\n')).to.have.length(110)
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    await sendSql(database.db, `delete from run_batches where state = 'stopped'`)
    const refused = await svc(...args)
    expect(refused.code).to.not.equal(0)
    expect(refused.stderr)
      .to.match(/no longer kept/)
      .and.match(/the 110 rows in long\.out\.jsonl\.part stay there/)
    expect(await text('long.out.jsonl.part')).to.equal(paid)
  })

  it('leaves no receipt of an earlier run beside its answers, and splits lines at line feeds only', async () => {
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    await writeFile(join(folder, 'lines.jsonl'), '"a\u2028b"\n"c\u0085d"\n')
    const args = ['run', conceptId, '--csv', 'lines.jsonl', '--out', 'lines.out.jsonl']
    expect((await svc(...args)).code).to.equal(0)
    const verified = await svc('receipt', 'lines.out.jsonl')
    expect(verified.code, verified.stderr).to.equal(0)
    await writeFile(join(folder, 'broken.jsonl'), `${await text('lines.out.jsonl')}oops\n`)
    const broken = await svc('receipt', 'broken.jsonl', '--receipt', 'lines.out.jsonl.receipt.json')
    expect(broken.stderr).to.match(/broken\.jsonl, line 3, is not JSON/)
    expect((await svc(...args, '--receipts', 'rows', '--force')).code).to.equal(0)
    expect((await svc('receipt', 'lines.out.jsonl')).stderr).to.match(/cannot read the receipt/)
  })

  it('answers every row that it can, and ends with 1 when another had an error', async () => {
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    await writeFile(join(folder, 'mixed.jsonl'), '"a"\n{"b\n"c"\n')
    const mixed = await svc('run', conceptId, '--csv', 'mixed.jsonl', '--out', 'mixed.out.jsonl')
    expect(mixed.code).to.equal(1)
    expect(mixed.stdout).to.match(/2 answered, .*1 error,/)
    expect(mixed.stderr).to.match(/1 of 3 rows ended with an error, which stands in mixed\.out\.jsonl/)
    const outputs = (await text('mixed.out.jsonl'))
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    expect(outputs.map(({ output, error }) => output ?? error?.code)).to.have.length.at.least(3)
    expect(outputs[1]).to.have.property('error')
  })

  it('names how many rows it leaves out', async () => {
    await sendSql(database.db, 'update quota_periods set used_units = 0')
    await writeFile(join(folder, 'titled.csv'), 'Notes of May,\n\ninput,n\nfirst,1\ninput,n\nlast,2\n')
    const { stdout, stderr } = await svc('run', conceptId, '--csv', 'titled.csv', '--out', 'titled.out.csv')
    expect(stdout).to.match(/2 answered, .*0 errors,/)
    expect(stderr).to.match(/rows left out: 2 \(titles above the table, or its header again\)/)
  })

  it('names what is wrong with its arguments', async () => {
    await writeFile(join(folder, 'few.csv'), 'note\nx\n')
    const cases: readonly (readonly [string[], RegExp])[] = [
      [['run', conceptId, '--csv', 'few.csv'], /--csv needs --out/],
      [['run', conceptId, '--csv', 'few.csv', '--out', 'x.pdf'], /must end in \.csv or \.jsonl/],
      [['run', conceptId, '--csv', 'none.csv', '--out', 'x.csv'], /none\.csv: there is no such file/],
      [['run', 'file.svc', '--csv', 'few.csv', '--out', 'x.csv'], /--csv runs on a server/],
      [['run', conceptId, '--csv', 'few.csv', '--out', 'x.csv', '--resume'], /no interrupted run/],
      [['receipt', 'few.csv'], /cannot read the receipt/],
    ]
    const runs = await Promise.all(cases.map(async ([args]) => await svc(...args)))
    for (const [i, { code, stderr }] of runs.entries()) {
      expect(code, stderr).to.equal(2)
      expect(stderr).to.match(cases[i]?.[1] ?? /never/)
    }
  })
})
