import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { createApiClient, type ApiClient } from '../cli/client/api-client.ts'
import { CliError } from '../cli/cli-error.ts'
import { saveArchive } from '../cli/compile/files/download.ts'
import { exitCodeOf, watchJob } from '../cli/compile/watch.ts'
import { EXIT } from '../cli/exit-codes.ts'
import { paint, type Output } from '../cli/terminal/output.ts'
import { openStageProgress } from '../cli/terminal/stage-progress.ts'
import { formatBytes, formatFacts, formatTable } from '../cli/terminal/table.ts'
import { verifyByRecomputation } from '../core/compile/archive/recompute/recompute.ts'
import type { Runner } from '../core/compile/runtime/recipe.ts'
import { Accepted } from '../core/compile/wire/jobs/accepted.ts'
import type { JobView } from '../core/compile/wire/jobs/job.ts'
import { measurementOf } from '../core/compile/wire/jobs/k-interval.ts'
import type { CompileInput } from '../core/compile/wire/jobs/spec.ts'
import { RunAnswer, type RunBody } from '../core/compile/wire/run.ts'
import { JwkSet, trustKeys, type TrustedKeys } from '../core/ledger/keys/jwk.ts'
import { VerifyReceiptAnswer, type VerifyReceiptBody } from '../core/ledger/wire/receipts.ts'
import { verifyReceiptOffline } from '../core/ledger/receipts/verify-receipt.ts'
import { canonicalJson, type Json } from '../core/kernel/json/json.ts'
import { signUp } from './sign-up.ts'
import { CONTACT_FILE, CONTACT_TASK, readUnseenRows, type ContactRow } from './task.ts'

/** Options of the demo. */
export interface DemoOptions {
  readonly apiUrl: string
  readonly output: Output
  /** Folder for the archive. */
  readonly archiveDir: string
  /** Announces the next step. */
  readonly step: (text: string) => void
}

/**
 * The main job of the service as a new user meets it: sign up, compile, download, verify offline, run on lines that the
 * compile never saw, verify the receipt. Answers the tenant's key. Throws `CliError` when any of it does not hold.
 */
export async function runDemo({ apiUrl, output, archiveDir, step }: DemoOptions): Promise<{ readonly apiKey: string }> {
  step('signing up a tenant')
  const guest = createApiClient({ url: apiUrl, apiKey: undefined })
  const { tenant, api_key: apiKey } = await signUp(guest, apiUrl)
  output.note(`  ${tenant.name} (${tenant.id}), plan ${tenant.plan}`)
  const client = createApiClient({ url: apiUrl, apiKey })

  step(`compiling ${fileURLToPath(CONTACT_FILE)}`)
  output.note(`  ${CONTACT_TASK}`)
  const job = await compileContacts(client, output)

  step('downloading and verifying the archive, with the public key alone')
  const file = join(archiveDir, `${job.id}.svc`)
  const { size_bytes: sizeBytes } = await saveArchive(client, job.id, file)
  const { keys } = await guest.call('/.well-known/jwks.json', JwkSet)
  const runner = await verifyFile(file, keys)
  output.note(`  ${file} is valid`)

  step('running it on new lines, here and on the server')
  const { answers, latencyUs } = await runUnseen(client, job, runner, output)

  step('verifying the receipts of these runs, offline and by the server')
  await verifyReceipts(guest, answers, trustKeys(keys))

  const score = measurementOf(job.k_score_envelope)
  const share = (value: number) => `${(value * 100).toFixed(1)} %`
  process.stdout.write(
    `\n${formatFacts([
      ['recipe', job.recipe_kind ?? 'unknown'],
      ['K-score', `${job.k_score?.toFixed(4) ?? ''} (floor ${job.k_score_floor})`],
      ...(score === undefined
        ? []
        : [
            ['accuracy', `${share(score.accuracy)} of ${score.n} rows`] as const,
            ['95 % interval', `${share(score.interval.low)} to ${share(score.interval.high)}`] as const,
          ]),
      ['archive', `${formatBytes(sizeBytes)}, ${file}`],
      ['CID', job.cid ?? ''],
      ['run latency', `${latencyUs} µs in the server (median)`],
    ])}\n`,
  )
  return { apiKey }
}

async function compileContacts(client: ApiClient, output: Output): Promise<JobView> {
  const { job_id: jobId } = await client.call('/v1/compile', Accepted, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    body: async () => {
      const form = new FormData()
      form.set('spec', JSON.stringify({ task: CONTACT_TASK, mode: 'async' } satisfies CompileInput))
      form.set('file', await openAsBlob(CONTACT_FILE), 'rows.jsonl')
      return form
    },
  })
  const job = await watchJob(client, jobId, openStageProgress(output))
  if (exitCodeOf(job) === EXIT.ok) return job
  throw new CliError(`the compile ended ${job.status}: ${job.error ?? ''}`, { code: job.error_code ?? job.status })
}

async function verifyFile(file: string, keys: JwkSet['keys']): Promise<Runner> {
  const result = await verifyByRecomputation(await readFile(file), { trustedKeys: keys })
  if (result.ok && result.opened?.recipe.kind === 'pure') return result.opened.recipe.runner
  throw new CliError(`the archive does not verify: ${result.detail}`, { code: result.reason ?? 'invalid_archive' })
}

interface Answered {
  readonly input: Json
  readonly output: Json
  readonly receipt: Json
}

async function runUnseen(
  client: ApiClient,
  job: JobView,
  runner: Runner,
  output: Output,
): Promise<{ answers: readonly Answered[]; latencyUs: number }> {
  const answers: Answered[] = []
  const rows: string[][] = []
  const latencies: number[] = []
  const wrong: ContactRow[] = []
  for (const row of readUnseenRows()) {
    const answer = await client.call('/v1/run', RunAnswer, {
      method: 'POST',
      json: { version_id: job.version_id, input: row.input, use_cache: false } satisfies z.input<typeof RunBody>,
    })
    const local = runner.run(row.input)
    if (canonicalJson(local.output) !== canonicalJson(answer.output)) {
      throw new CliError(`the server and the archive answer differently for ${row.input}`)
    }
    const isRight = canonicalJson(answer.output) === canonicalJson(row.output)
    if (!isRight) wrong.push(row)
    rows.push([isRight ? paint('green', '✔') : paint('red', '✘'), row.input, textOf(answer.output)])
    latencies.push(answer.latency_us)
    answers.push({ input: row.input, output: answer.output, receipt: answer.receipt })
  }
  output.note(formatTable(['', 'line', 'answer'], rows).replaceAll(/^/gm, '  '))
  if (wrong.length > 0) output.warn(`${wrong.length} of ${rows.length} answers are wrong`)
  const sorted = latencies.toSorted((a, b) => a - b)
  return { answers, latencyUs: sorted[Math.floor(sorted.length / 2)] ?? 0 }
}

async function verifyReceipts(guest: ApiClient, answers: readonly Answered[], keys: TrustedKeys): Promise<void> {
  for (const { input, output, receipt } of answers) {
    const offline = verifyReceiptOffline(receipt, keys, { input, output })
    if (!offline.verified) throw new CliError(`a receipt does not verify offline: ${offline.reasons.join(', ')}`)
  }
  // The server also knows the tenant's secret, and so checks the HMAC that is inside.
  const json = { receipt: answers[0]?.receipt ?? null } satisfies z.input<typeof VerifyReceiptBody>
  await guest.call('/v1/receipts/verify', VerifyReceiptAnswer, { method: 'POST', json })
}

/** Formats an answer on one line: text unchanged, everything else as JSON. */
function textOf(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}
