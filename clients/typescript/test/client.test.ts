/** The client against a live service: `SVC_URL`, `SVC_API_KEY`. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  api,
  Artifact,
  AuthenticationError,
  CompileError,
  InvalidRequestError,
  NotFoundError,
  Svc,
  verify,
} from '../src/index.ts'

const NAMES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
const initials = (name: string): string => name.replace(/^(.).* /, '$1. ')

describe('the TypeScript client', () => {
  const svc = new Svc()
  let folder: string
  let artifact: Artifact
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-client-'))
    const kinds = new Set<string>()
    artifact = await svc
      .compile(
        NAMES.map((name) => [name, initials(name)] as const),
        { task: 'Shorten a name' },
      )
      .wait({ onEvent: ({ kind }) => kinds.add(kind) })
    assert.ok(kinds.has('step.start') && kinds.has('done'), [...kinds].join(' '))
  })
  after(async () => await rm(folder, { recursive: true, force: true }))

  it('runs one input, with its receipt', async () => {
    const answer = await artifact.run('Tim Lee')
    assert.equal(answer.output, 'T. Lee')
    assert.equal(answer.receipt?.spec, 'rs-1')
  })

  it('runs many inputs in their order; a broken one has its error in its place', async () => {
    const inputs = Array.from({ length: 300 }, (_, i) => (i === 7 ? 7 : `Name${i} Family${i}`))
    const rows = []
    for await (const row of artifact.runMany(inputs)) rows.push(row)
    assert.deepEqual(
      rows.map(({ row }) => row),
      inputs.map((_, i) => i + 1),
    )
    assert.deepEqual(
      rows.slice(0, 2).map((row) => 'output' in row && row.output),
      ['N. Family0', 'N. Family1'],
    )
    assert.ok(rows.every((row, i) => i === 7 || 'output' in row))
  })

  it('downloads the archive, and verifies it offline', async () => {
    const file = join(folder, 'name.svc')
    await artifact.download(file)
    const keys = await svc.keys()
    assert.deepEqual(await verify(file, { keys }), await svc.verify(file))
    const verified = await verify(file, { keys })
    assert.ok(verified.ok && verified.trusted === 'trusted' && verified.jobId === artifact.job?.job_id)
    assert.equal((await verify(file)).trusted, 'unknown_signer')
    assert.equal((await verify(file, { keys: [] })).ok, false)
    const bytes = await readFile(file)
    for (const place of [40, Math.floor(bytes.length / 3), Math.floor(bytes.length / 2)]) {
      const changed = Uint8Array.from(bytes)
      changed[place] = (changed[place] ?? 0) ^ 1
      assert.equal((await verify(changed, { keys })).ok, false, `byte ${place}`)
    }
  })

  it('compiles a file', async () => {
    const file = join(folder, 'names.csv')
    await writeFile(file, ['name,short', ...NAMES.map((name) => `${name},${initials(name)}`), ''].join('\n'))
    const made = await svc.compileFile(file, { mapping: { input: ['name'], output: 'short' } }).wait()
    assert.equal((await made.run('Tim Lee')).output, 'T. Lee')
  })

  it('says why a compile has no artifact', async () => {
    const noise = NAMES.map((name, i) => [name, `${(i * 7919) % 101}${name.length}`] as const)
    await assert.rejects(svc.compile(noise, { recipe_kind: 'program' }).wait(), (error) => {
      assert.ok(error instanceof CompileError)
      assert.notEqual(error.job.status, 'completed')
      return true
    })
  })

  it('throws typed errors', async () => {
    await assert.rejects(svc.concept('cpt_00000000000000000000000000').run('x'), NotFoundError)
    await assert.rejects(new Svc({ apiKey: 'wrong' }).compile([['a', 'b']]), AuthenticationError)
    await assert.rejects(svc.compile([['a', 'b']], { k_score_floor: 7 }), (error) => {
      assert.ok(error instanceof InvalidRequestError)
      assert.deepEqual(
        error.fields.map(({ field }) => field),
        ['k_score_floor'],
      )
      return true
    })
  })

  it('calls any other route by the generated operations', async () => {
    const { data } = await api.listArtifacts({ client: svc.client, throwOnError: true })
    assert.ok(data.artifacts.some(({ id }) => id === artifact.job?.artifact_id))
  })
})
