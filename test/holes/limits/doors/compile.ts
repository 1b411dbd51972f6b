import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { TINY_TRAINING, tinyRecipe, writeTinyBase } from '../../../support/archives/tiny-bases.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { batchForm } from '../../../support/wire/batches.ts'
import { workbook } from '../../../support/wire/workbook.ts'
import { expectRefused, givenCaller, givenProgram, type Caller, type Doors, type MovedServer } from './door.ts'

const PAIRS = Array.from({ length: 12 }, (_, i) => ({ input: `row ${i}`, output: `ROW ${i}` }))

/** A file of so many bytes, as a table. */
const csv = (bytes: number) => new File([`input,output\n${'a,b\n'.repeat(bytes)}`.slice(0, bytes)], 'rows.csv')

const compileFile = async (caller: Caller, file: File, spec: object = {}) =>
  await caller.send('/v1/compile', { spec: JSON.stringify({ task: 'x', mode: 'async', ...spec }) }, [file])

const sheet = async (cells: readonly string[]) =>
  new File(
    [
      new Uint8Array(
        await workbook([{ name: 'rows', rows: [['input', 'output'], ...cells.map((cell) => [cell, cell])] }]),
      ),
    ],
    'rows.xlsx',
  )

const run = async (caller: Caller, versionId: string) =>
  await caller.ask('POST', '/v1/run', { version_id: versionId, input: 'ada', use_cache: false })

/** Revokes artifacts behind the back of the server: only one that reads them again sees it. */
const revokeUnnoticed = async ({ op, id }: Caller) =>
  await sendSql(op.db, 'update artifacts set revoked_at = now() where tenant_id = $1', [id])

async function givenTwoPrograms(on: MovedServer, caller: Caller) {
  const [one, two] = [await givenProgram(on, caller), await givenProgram(on, caller)]
  return { one: one.versionId, two: two.versionId }
}

/** Doors of examples, files, runs and documents. */
export const COMPILE_DOORS: Doors = {
  rows_used_per_compile: {
    at: 40,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const minutes = async (examples: number) =>
        (await caller.ask('GET', `/v1/compile/estimate?task=x&examples=${examples}`)).body.estimated_minutes
      expect(await minutes(at * 100)).to.deep.equal(await minutes(at))
      expect(await minutes(at)).not.to.deep.equal(await minutes(at / 2))
    },
  },
  trainer_memory_bytes: {
    at: 1000,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const body = { task: 'x', mode: 'async', examples: PAIRS, recipe_kind: 'lora', base_model: 'nano' }
      const answer = await caller.ask('POST', '/v1/compile', body)
      expectRefused(answer, [422, 'base_does_not_fit'])
    },
  },
  preview_file_bytes: {
    at: 30_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const preview = async (bytes: number) => await caller.send('/v1/compile/preview', {}, [csv(bytes)])
      expectRefused(await preview(at + 1), [413, 'payload_too_large'], at)
      expect((await preview(at)).status).to.equal(200)
    },
  },
  upload_spec_bytes: {
    at: 900,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      expectRefused(await compileFile(caller, csv(400), { task: 'x'.repeat(at) }), [413, 'payload_too_large'], at)
    },
  },
  workbook_bytes: {
    at: 20_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const cells = Array.from({ length: 20 }, () => randomBytes(1000).toString('base64'))
      const answer = await compileFile(caller, await sheet(cells))
      expect(answer.status, answer.text).to.equal(413)
      expect(answer.text).to.contain(String(at))
    },
  },
  workbook_inflated_bytes: {
    at: 60_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const cells = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(2000)}`)
      const answer = await compileFile(caller, await sheet(cells))
      expect(answer.status, answer.text).to.equal(413)
      expect(answer.text).to.contain(String(at))
    },
  },
  held_body_bytes: {
    at: 1_200_000,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const examples = Array.from({ length: 160 }, (_, i) => ({ input: `${i} ${'x'.repeat(9000)}`, output: 'y' }))
      expectRefused(await caller.ask('POST', '/v1/compile', { task: 'x', examples }), [503, 'busy'])
    },
  },
  spool_bytes: {
    at: 300_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      expectRefused(await compileFile(caller, csv(at + 1)), [503, 'busy'])
    },
  },
  run_batch_bytes: {
    at: 5000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const { conceptId } = await givenProgram(on, caller)
      const batch = async (bytes: number) => {
        const file = { name: 'in.jsonl', bytes: '"some text"\n'.repeat(bytes).slice(0, bytes) }
        return await caller.ask('POST', '/v1/run/batch', undefined, { raw: batchForm(file, { concept_id: conceptId }) })
      }
      expectRefused(await batch(at + 1), [413, 'payload_too_large'], at)
      expect((await batch(at - (at % 12))).status).to.equal(200)
    },
  },
  loaded_recipes: {
    at: 1,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const { one, two } = await givenTwoPrograms(on, caller)
      for (const version of [one, two]) expect((await run(caller, version)).status).to.equal(200)
      await revokeUnnoticed(caller)
      // The last one is still at hand, the one before is read again.
      expect((await run(caller, two)).status).to.equal(200)
      expect((await run(caller, one)).body.code).to.equal('artifact_revoked')
    },
  },
  base_idle_s: {
    at: 0.02,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const base = await writeTinyBase(on.bases, 'tiny')
      const { versionId } = await givenVersion(caller.op, {
        recipe: tinyRecipe(base, 1),
        training: TINY_TRAINING,
        signer: on.api.server.services.signingKeys.current,
      })
      const first = await run(caller, versionId)
      expect(first.status, first.text).to.equal(200)
      await rm(join(on.bases, 'tiny'), { recursive: true })
      // A base that is closed when it is idle is not found again.
      await eventually(async () => expect((await run(caller, versionId)).body.code).to.equal('base_not_installed'))
    },
  },
  document_bytes: {
    at: 4000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const answer = await caller.send('/v1/embed', { namespace: 'support' }, [new File(['x'.repeat(at + 1)], 'a.txt')])
      expectRefused(answer, [413, 'payload_too_large'], at)
    },
  },
  document_upload_bytes: {
    at: 80_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      // More than what the lines between the parts may take beside the files.
      const files = Array.from({ length: 38 }, (_, i) => new File(['x'.repeat(4000)], `${i}.txt`))
      expectRefused(await caller.send('/v1/embed', { namespace: 'support' }, files), [413, 'payload_too_large'], at)
      const form = new FormData()
      form.append('namespace', 'support')
      for (const file of files) form.append('file', file)
      const { headers, body } = new Response(form)
      // Without its length announced, the body is counted as it comes.
      const streamed = await fetch(`${on.api.url}/v1/embed`, {
        method: 'POST',
        headers: { 'x-api-key': caller.key, 'content-type': headers.get('content-type') ?? '' },
        body,
        duplex: 'half',
      })
      expect([streamed.status, await streamed.text()]).to.satisfy(
        ([status, text]: [number, string]) => status === 413 && text.includes(`"max_bytes":${at}`),
      )
    },
  },
}

/** Those that refuse every call of their kind, or keep nothing. */
export const CLOSED_COMPILE_DOORS: Doors = {
  loaded_recipe_bytes: {
    at: 1,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const { one } = await givenTwoPrograms(on, caller)
      expect((await run(caller, one)).status).to.equal(200)
      await revokeUnnoticed(caller)
      expect((await run(caller, one)).body.code).to.equal('artifact_revoked')
    },
  },
  run_batches_per_tenant: {
    at: 0,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const { conceptId } = await givenProgram(on, caller)
      const answer = await caller.ask('POST', '/v1/run/batch', { concept_id: conceptId, inputs: ['a'] })
      expectRefused(answer, [429, 'rate_limited'])
    },
  },
  sse_connections_per_tenant: {
    at: 0,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const accepted = await caller.ask('POST', '/v1/compile', { task: 'x', mode: 'async', examples: PAIRS })
      expect(accepted.status, accepted.text).to.equal(202)
      const streamed = await caller.ask('GET', `/v1/compile/stream/${accepted.body.job_id}`)
      expectRefused(streamed, [429, 'rate_limited'])
    },
  },
}
