import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { fitBothWays } from './adapters.ts'
import { startLineProcess, type LineProcess } from './line-process.ts'

/** Log-probabilities may differ by this much, in float32. */
const TOLERANCE = 1e-4
const TEXTS = ['the order number is 1204', 'turn the date into words, turn the name into a slug']
const CLI = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))
const GOLDEN = fileURLToPath(new URL('../../../test/model/golden', import.meta.url))

const Reference = z.object({ ids: z.array(z.int()), logProbs: z.array(z.number()) })
const Ours = z.object({ tokens: z.array(z.object({ id: z.int(), logprob: z.number().nullable() })) })

/** One line of the table. */
export interface AccuracyRow extends Readonly<Record<string, string | number>> {
  readonly ok: 'yes' | 'no'
}

/**
 * The largest difference between the log-probabilities of `svc model logprobs` and those of transformers and PEFT: for
 * each base without an adapter, with one that the embedded trainer fitted and with one of the `peft` trainer.
 */
export async function measureAccuracy(
  python: string,
  bases: readonly string[],
  folder: string,
): Promise<AccuracyRow[]> {
  const golden = (await readdir(GOLDEN, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const folders = [...golden.map(({ name }) => join(GOLDEN, name)), ...(await existing(bases))]
  const [reference, trainer] = [startPython(python, 'log_probs.py'), startPython(python, 'fit.py')]
  const found: AccuracyRow[] = []
  for (const base of folders) {
    const fitted = await fitBothWays(trainer, base, join(folder, basename(base)))
    const adapters = [{ name: 'none', adapter: null }, ...fitted]
    for (const { name, adapter } of adapters) {
      let worst = 0
      let tokens = 0
      for (const text of TEXTS) {
        const theirs = Reference.parse(await reference.ask(JSON.stringify({ base, adapter, text })))
        const ours = await logProbs(base, adapter, text)
        if (ours.ids.join() !== theirs.ids.join()) throw new Error(`${base}: the tokenizers disagree on ${text}`)
        tokens += theirs.logProbs.length
        for (const [index, value] of theirs.logProbs.entries()) {
          worst = Math.max(worst, Math.abs(value - (ours.logProbs[index] ?? Number.NaN)))
        }
      }
      console.error(`${basename(base)}, adapter ${name}: ${worst.toExponential(1)}`)
      const ok = worst <= TOLERANCE ? 'yes' : 'no'
      found.push({ base: basename(base), adapter: name, tokens, 'largest difference': worst.toExponential(1), ok })
    }
  }
  await reference.end()
  await trainer.end()
  return found
}

/** One of the programs beside this file, on one thread: small models only lose time by more. */
function startPython(python: string, program: string): LineProcess {
  const path = fileURLToPath(new URL(`python/${program}`, import.meta.url))
  return startLineProcess(python, ['-W', 'ignore', path], { env: { OMP_NUM_THREADS: '1' } })
}

async function existing(folders: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const folder of folders) if (await stat(join(folder, 'model.safetensors')).catch(() => null)) found.push(folder)
  return found
}

async function logProbs(base: string, adapter: string | null, text: string) {
  const args = ['model', 'logprobs', '--base', base, '--text', text, '--json']
  if (adapter !== null) args.push('--adapter', adapter)
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args])
  const { tokens } = Ours.parse(JSON.parse(stdout))
  return { ids: tokens.map(({ id }) => id), logProbs: tokens.slice(1).map(({ logprob }) => logprob) }
}
