import { mkdtempSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import { MerkleFrontier } from '../../../core/ledger/merkle/frontier.ts'
import { eraseForgottenRows } from '../../../activities/learn/datasets/erase-forgotten.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import type { ServiceTransaction } from '../../../db/kernel/queries/service.ts'
import { lockInTransaction } from '../../../db/kernel/transaction.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { writeAll } from '../../support/db/send-sql.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'
import { commands, dataCommands, datasetCalls, inlineRows } from './dataset-calls.ts'
import { FAULTY_ROWS, FILES, TICKETS, writeFolder, WRONG_LABEL } from './given-files.ts'
import { setUpOperation } from '../../support/people/given-members.ts'

describe('datasets', () => {
  const workspaces = mkdtempSync(join(tmpdir(), 'svc-workspaces-'))
  const service = useService({ workspacesDir: workspaces })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { workspacesDir: workspaces },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
    await mkdir(join(workspaces, tenant.id))
  })
  after(async () => await rm(workspaces, { recursive: true }))

  const op = () => setUpOperation(service.database.db, tenant.id)
  const { call, get, post, upload, capture, rowsOf } = datasetCalls(api, () => tenant)

  it('are made of the captures of a namespace, without rejected ones, with the output that a reviewer wrote', async () => {
    const [rejected, fixed] = await capture('support', TICKETS)
    await post(`/v1/captures/${rejected.id}/review`, { action: 'reject' }, 200)
    await post(`/v1/captures/${fixed.id}/review`, { action: 'approve', fixed_output: 'shipping' }, 200)
    const made = await post('/v1/datasets', { namespace: 'support', name: 'tickets', train_ratio: 0.75 })
    expect(made).to.include({ state: 'ready', version: 1, kind: 'captures', row_count: 11 })
    expect(made).to.include({ row_type: 'prompt_completion', stratified_by: 'label', train_count: 8, holdout_count: 3 })
    const rows = await rowsOf(made.dataset_id)
    expect(rows).to.have.length(11)
    expect(rows.every((row: { source: string }) => row.source === 'captures')).to.equal(true)
    expect(rows.some((row: { row_id: string }) => row.row_id === rejected.id)).to.equal(false)
    expect(rows.find((row: { row_id: string }) => row.row_id === fixed.id).row.completion).to.equal('shipping')
    const tree = new MerkleFrontier()
    for (const row of rows) tree.append(Buffer.from(row.row_hash.slice(7), 'hex'))
    expect(tree.root()).to.equal(made.merkle_root)
    await expectAudited(op(), 'dataset.version_requested', made.dataset_id)
    await expectAudited(op(), 'dataset.version_built', made.dataset_id)
    await recordHistory(service.temporal, 'dataset-built', `${made.dataset_id}/v1`)
    const listed = await get('/v1/datasets')
    expect(listed).to.deep.include({ total: 1 })
    expect(listed.datasets[0]).to.include({ dataset_id: made.dataset_id, name: 'tickets', train_count: 8, version: 1 })
  })

  it('split by their rows alone, and hold out for good what was once held out', async () => {
    const rows = inlineRows(0, 40)
    const one = await post('/v1/datasets', { namespace: 'growth', rows })
    const other = await post('/v1/datasets', { namespace: 'growth', rows: rows.toReversed() })
    expect(other.split_signature).to.equal(one.split_signature)
    const held = new Set((await rowsOf(one.dataset_id, '&side=holdout')).map((row: { row_id: string }) => row.row_id))
    expect(held.size).to.equal(8)
    const grown = await post(`/v1/datasets/${one.dataset_id}/import`, { rows: inlineRows(40, 60) })
    expect(grown).to.include({ version: 2, row_count: 100, holdout_count: 20, base_version: 1 })
    const smaller = await post(`/v1/datasets/${one.dataset_id}/split`, { train_ratio: 0.95 })
    expect(smaller).to.include({ version: 3, kind: 'split', train_count: 80, holdout_count: 20 })
    expect([...held].every((id) => smaller.holdout_ids.includes(id))).to.equal(true)
    // Taken out and added again, a row is still known.
    const [first] = [...held]
    const { row } = (await rowsOf(one.dataset_id)).find((each: { row_id: string }) => each.row_id === first)
    await post(`/v1/datasets/${one.dataset_id}/import`, { remove: [first] })
    const again = await post(`/v1/datasets/${one.dataset_id}/import`, { rows: [row] })
    expect(again).to.include({ version: 5, row_count: 100 })
    const back = (await rowsOf(one.dataset_id)).find((each: { row_id: string }) => each.row_id === first)
    expect(back.side).to.equal('holdout')
    const diff = await get(`/v1/datasets/${one.dataset_id}/diff?from=4&to=5`)
    expect(diff).to.include({ added: 1, removed: 0, kept: 99, to_train: 0 })
    expect(diff.rows[0]).to.deep.include({ change: 'added', row_id: first })
    const { quality, versions } = await get(`/v1/datasets/${one.dataset_id}`)
    expect(quality.change).to.include({ added: 1, removed: 0, to_train: 0 })
    expect(versions.map((version: { version: number }) => version.version)).to.deep.equal([5, 4, 3, 2, 1])
  })

  it('keep conversations and near-duplicates on one side', async () => {
    const words = 'please tell me when the red parcel with the glass lamp from the shop in the old town will come'
    const alike = Array.from({ length: 6 }, (_, at) => ({ prompt: `${words} ${at}`, completion: 'soon' }))
    const talk = ['hello', 'thanks', 'bye'].map((prompt) => ({ prompt, completion: 'ok', conversation_id: 'c1' }))
    const made = await post('/v1/datasets', { namespace: 'groups', rows: [...alike, ...talk, ...inlineRows(0, 21)] })
    const rows: { group: number; side: string }[] = await rowsOf(made.dataset_id)
    const sides = Map.groupBy(rows, ({ group }) => group)
    expect([...sides.values()].filter(({ length }) => length > 1).map(({ length }) => length)).to.deep.equal([6, 3])
    for (const group of sides.values()) expect(new Set(group.map(({ side }) => side)).size).to.equal(1)
  })

  it('forget a capture in every version at once, and keep a tombstone under which the root verifies', async () => {
    await capture('private', TICKETS)
    const made = await post('/v1/datasets', { namespace: 'private' })
    const id = made.dataset_id
    await post(`/v1/datasets/${id}/split`, { train_ratio: 0.5 })
    const [gone] = await rowsOf(id)
    const forgotten = await call('POST', '/v1/captures/forget', { capture_ids: [gone.row_id], confirm: true })
    expect(forgotten.status, forgotten.text).to.equal(200)
    const shown = async (version: number) => (await rowsOf(id, `&version=${version}`))[0]
    for (const version of [1, 2]) {
      expect(await shown(version)).to.deep.include({ forgotten: true, row: null, row_hash: gone.row_hash })
    }
    const file = await call('GET', `/v1/datasets/${id}/export?format=jsonl`)
    await expectAudited(op(), 'dataset.exported', id)
    expect(file.text).to.not.include(gone.row.prompt)
    await eraseForgottenRows.run(
      { ...service.deps, limits: service.deps.limits },
      { signal: new AbortController().signal, progress: () => undefined },
    )
    for (const version of [1, 2]) {
      const view = await get(`/v1/datasets/${id}?version=${version}`)
      expect(view).to.include({ forgotten_count: 1, row_count: 12 })
      const tree = new MerkleFrontier()
      for (const row of await rowsOf(id, `&version=${version}`)) tree.append(Buffer.from(row.row_hash.slice(7), 'hex'))
      expect(tree.root()).to.equal(view.merkle_root)
    }
    const next = await post(`/v1/datasets/${id}/split`, { train_ratio: 0.75 })
    expect(next).to.include({ version: 3, row_count: 11, forgotten_count: 0 })
  })

  it('take files in the formats of TRL, Alpaca, ShareGPT, CSV and Parquet, and give them back', async () => {
    for (const [name, content, type] of FILES) {
      const made = await upload({ [name]: content }, { namespace: 'formats', name })
      expect(made.status, `${name}: ${made.text}`).to.equal(201)
      expect(made.body.row_type, name).to.equal(type)
      const file = await call('GET', `/v1/datasets/${made.body.dataset_id}/export?format=parquet`)
      const again = await upload({ 'again.parquet': new Uint8Array(file.bytes) }, { namespace: 'formats' })
      expect(again.status, `${name}: ${again.text}`).to.equal(201)
      expect(again.body.merkle_root, name).to.equal(made.body.merkle_root)
      const bytes = file.bytes.buffer.slice(file.bytes.byteOffset, file.bytes.byteOffset + file.bytes.byteLength)
      expect(await parquetReadObjects({ file: bytes as ArrayBuffer }), name).to.have.length(made.body.row_count)
    }
  })

  it('read a folder as datasets does: its test split is held out', async () => {
    const folder = join(workspaces, tenant.id, 'folder')
    await writeFolder(folder)
    const made = await post('/v1/datasets', { namespace: 'folders', paths: [folder], train_ratio: 0.9 })
    const held = await rowsOf(made.dataset_id, '&side=holdout')
    expect(held.map((row: { source: string }) => row.source)).to.deep.equal(['data/b.jsonl', 'data/b.jsonl'])
    await symlink('/etc', join(workspaces, tenant.id, 'elsewhere'))
    for (const path of [join(workspaces, tenant.id, 'elsewhere'), workspaces, join(workspaces, tenant.id, 'none')]) {
      const refused = await call('POST', '/v1/datasets', { namespace: 'folders', paths: [path] })
      expect(refused.body.code, path).to.be.oneOf(['path_outside_workspace', 'validation_failed'])
    }
    await writeFile(join(folder, 'data', 'c.jsonl'), '')
    const empty = await call('POST', '/v1/datasets', { namespace: 'folders', paths: [join(folder, 'data', 'c.jsonl')] })
    expect(empty.body, empty.text).to.include({ code: 'empty_dataset' })
    const zip = await call('GET', `/v1/datasets/${made.dataset_id}/export?format=folder`)
    const again = await upload({ 'folder.zip': new Uint8Array(zip.bytes) }, { namespace: 'folders', train_ratio: 0.9 })
    expect(again.body, again.text).to.include({ row_count: 7, train_count: 5, holdout_count: 2 })
  })

  it('measure their quality', async () => {
    const made = await post('/v1/datasets', { namespace: 'quality', rows: FAULTY_ROWS })
    const { quality } = await get(`/v1/datasets/${made.dataset_id}`)
    expect(quality.duplicates).to.deep.include({ exact_removed: 1, groups: 1, grouped_rows: 2 })
    expect(quality.contradictions).to.deep.include({ inputs: 1, rows: 2 })
    expect(quality.pii).to.deep.include({ rows: 63, rows_with_finds: 1, classes: { email: 1 } })
    const shown: { row_id: string; row: { prompt: string } }[] = await rowsOf(made.dataset_id)
    const suspects = quality.label_noise.suspects.map(
      ({ row_id: id }: { row_id: string }) => shown.find((row) => row.row_id === id)?.row.prompt,
    )
    expect(suspects).to.include(WRONG_LABEL.input)
    expect(quality.labels.map(({ label }: { label: string }) => label)).to.have.members(['billing', 'shipping'])
    expect(quality.characters.rows).to.equal(63)
  })

  it('name what is wrong with a file by its line, and leave no rows behind', async () => {
    const mixed = await upload({ 'm.jsonl': '{"text":"a"}\n{"prompt":"b","completion":"c"}\n' }, { namespace: 'bad' })
    expect(mixed.body.error).to.match(/^line\[2\]: is a row of type prompt_completion/)
    const broken = await upload({ 'b.jsonl': '{"text":"a"}\n{"text":\n' }, { namespace: 'bad' })
    expect(broken.body).to.include({ code: 'invalid_json' })
    expect(broken.body.error).to.match(/^line\[2\]: column 9/)
    const parquet = await upload({ 'p.parquet': 'PAR1 is not enough' }, { namespace: 'bad' })
    expect(parquet.body).to.include({ code: 'unsupported_media_type' })
    const none = await call('POST', '/v1/datasets', { namespace: 'nothing-here' })
    expect(none.body.code).to.equal('empty_dataset')
    const failed = await get('/v1/datasets?namespace=bad')
    const states = failed.datasets.map(({ state, version }: { state: string; version: number }) => [state, version])
    expect(states).to.deep.equal(Array(3).fill(['failed', 0]))
    await expectAudited(op(), 'dataset.version_failed', failed.datasets[0].dataset_id)
    const many = await call('POST', '/v1/datasets', { namespace: 'many', rows: Array(10_001).fill({ text: 'a' }) })
    expect(many.body.error).to.match(/^rows: must have at most 10000 /)
    const two = await post('/v1/datasets', { namespace: 'bad', rows: inlineRows(0, 2) })
    const uneven = await call('POST', `/v1/datasets/${two.dataset_id}/split`, { train_ratio: 0.99 })
    expect(uneven.body).to.include({ code: 'dataset_split_error' })
  })

  it('hold no row of a sealed holdout, until it is revealed', async () => {
    const body = { namespace: 'sealed', rows: inlineRows(4000, 6) }
    await post('/v1/eval/tenant_holdout', { corpus_id: 'kept', rows: body.rows.slice(0, 2) })
    const refused = await call('POST', '/v1/datasets', body)
    expect([refused.status, refused.body.code], refused.text).to.deep.equal([400, 'sealed_rows'])
    expect(refused.body.error).to.contain('2 rows are rows of a sealed holdout')
    await post('/v1/eval/tenant_holdout/kept/reveal', {}, 200)
    expect((await post('/v1/datasets', body)).row_count).to.equal(6)
  })

  it('are compiled: what is held out scores the recipe, and the archive names the version', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({
      input: `item ${at} of ${at + 7}`,
      output: `ITEM ${at} OF ${at + 7}`,
    }))
    const made = await post('/v1/datasets', { namespace: 'upper', rows })
    const job = await post(
      '/v1/compile',
      { task: 'Write in capitals', dataset_id: made.dataset_id, base_model: 'none' },
      200,
    )
    const named = { dataset_id: made.dataset_id, version: 1, merkle_root: made.merkle_root }
    expect(job.dataset).to.deep.equal(named)
    expect(JSON.stringify(job)).to.include('"split_mode":"test_rows"')
    const given = `compile --dataset ${made.dataset_id} --dataset-version 1 --base none --task capitals`.split(' ')
    const svc = commands(workspaces, { SVC_URL: api.url, SVC_API_KEY: tenant.key })
    expect(JSON.parse((await svc('--json', ...given)).stdout).dataset).to.deep.equal(named)
    for (const wrong of [['rows.csv'], ['--from-captures', 'upper']]) {
      expect((await svc(...given, ...wrong)).stderr).to.match(/--dataset.*not both/)
    }
    const { key } = await givenApiTenant(api)
    const foreign = await api.call('POST', '/v1/compile', { key, body: { task: 'x', dataset_id: made.dataset_id } })
    expect(foreign.status).to.equal(404)
  })

  it('are imported, shown, compared and exported by svc data', async () => {
    const folder = join(workspaces, 'cli')
    await mkdir(folder)
    const svc = dataCommands(folder, { SVC_URL: api.url, SVC_API_KEY: tenant.key })
    const lines = inlineRows(0, 20).map((row) => JSON.stringify(row))
    await writeFile(join(folder, 'rows.jsonl'), lines.join('\n'))
    const made = await svc('import', 'rows.jsonl', '-n', 'cli', '--name', 'by hand')
    expect(made).to.match(/^ds_\w+ version 1: 20 rows of type prompt_completion, 16 to learn from, 4 held out/)
    const id = made.split(' ')[0] ?? ''
    expect(await svc('split', id, '--ratio', '0.5')).to.contain('version 2: 20 rows')
    expect(await svc('diff', id)).to.contain('version 1 to 2: 0 added, 0 removed, 20 kept, 6 newly held out')
    expect(await svc('show', id)).to.contain('duplicates: 0 equal rows left out')
    await svc('export', id, '--format', 'jsonl', '-o', 'out.jsonl')
    const written = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trim().split('\n')
    expect(written.map((line) => JSON.stringify(JSON.parse(line))).toSorted()).to.deep.equal(lines.toSorted())
  })

  it('leave no files behind, and remove those of a process that was killed', async () => {
    const left = await mkdtemp(join(tmpdir(), 'svc-dataset-'))
    await utimes(left, new Date(0), new Date(0))
    await post('/v1/datasets', { namespace: 'left', rows: inlineRows(0, 3) })
    expect(await stat(left).catch(() => null)).to.equal(null)
  })

  it('answer a repeated call with one version, and strangers with 404', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = { namespace: 'once', rows: inlineRows(0, 5) }
    const one = await post('/v1/datasets', body, 201, headers)
    const two = await post('/v1/datasets', body, 201, headers)
    expect(two.dataset_id).to.equal(one.dataset_id)
    await post('/v1/datasets', { ...body, train_ratio: 0.5 }, 409, headers)
    const stranger = await givenApiTenant(api)
    for (const path of ['', '/rows', '/diff', '/export']) {
      const answer = await api.call('GET', `/v1/datasets/${one.dataset_id}${path}`, { key: stranger.key })
      expect(answer.status, path).to.equal(404)
    }
    expect((await call('DELETE', `/v1/datasets/${one.dataset_id}`)).body).to.include({ deleted: true })
    await expectAudited(op(), 'dataset.deleted', one.dataset_id)
    expect((await call('GET', `/v1/datasets/${one.dataset_id}`)).status).to.equal(404)
  })

  it('are not split by a call that waits for their deletion', async () => {
    const { dataset_id: id } = await post('/v1/datasets', { namespace: 'gone', rows: inlineRows(0, 5) })
    const waiting = async (tx: ServiceTransaction, calls: number) =>
      await eventually(async () => {
        const locks = await tx.query(
          `select 1 from pg_locks waits join pg_locks held using (locktype, database, classid, objid, objsubid)
            where locktype = 'advisory' and not waits.granted and held.granted and held.pid = pg_backend_pid()`,
        )
        expect(locks).to.have.length(calls)
      })
    const [deleted, split] = await writeAll(service.database.db, async (tx) => {
      await lockInTransaction(tx, `datasets ${tenant.id}`)
      const deleting = call('DELETE', `/v1/datasets/${id}`)
      await waiting(tx, 1)
      const splitting = call('POST', `/v1/datasets/${id}/split`, { train_ratio: 0.5 })
      await waiting(tx, 2)
      return [deleting, splitting] as const
    })
    expect((await deleted).body).to.include({ deleted: true })
    const late = await split
    expect([late.status, late.body.code], late.text).to.deep.equal([404, 'not_found'])
  })
})
