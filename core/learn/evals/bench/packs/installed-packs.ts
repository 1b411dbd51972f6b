import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Benchmark } from '../benchmarks.ts'
import { LEARN_ERRORS } from '../../../errors.ts'

/** A pack that the operator installed. */
export interface InstalledPack {
  readonly benchmark: Benchmark
  /** Its name in the folder. */
  readonly file: string
  readonly sizeBytes: number
  /** When the file was written, milliseconds. */
  readonly modifiedMs: number
}

/** Names under which the official files are looked for, the first that is there. */
const FILES = {
  mmlu: ['mmlu.tar', 'mmlu.tar.gz', 'mmlu.zip', 'data.tar'],
  humaneval: ['HumanEval.jsonl.gz', 'HumanEval.jsonl'],
  mtbench: ['question.jsonl', 'question.jsonl.gz'],
} as const satisfies Record<Benchmark, readonly string[]>

/** Returns the installed pack of a benchmark; null without one. */
async function findInstalled(folder: string | undefined, benchmark: Benchmark): Promise<InstalledPack | null> {
  if (folder === undefined) return null
  for (const file of FILES[benchmark]) {
    const found = await lstat(join(folder, file)).catch(() => null)
    if (found?.isFile() === true) return { benchmark, file, sizeBytes: found.size, modifiedMs: found.mtimeMs }
    if (found?.isSymbolicLink() === true) {
      throw LEARN_ERRORS.bench_pack_link_rejected(`the installed file ${file} is a link; the operator must copy it`)
    }
  }
  return null
}

/** Returns the packs that are installed; a link is none. */
export async function listInstalled(folder: string | undefined): Promise<readonly InstalledPack[]> {
  const found = await Promise.all(
    (['mmlu', 'humaneval', 'mtbench'] as const).map(async (benchmark) =>
      findInstalled(folder, benchmark).catch(() => null),
    ),
  )
  return found.filter((pack) => pack !== null)
}

/** Reads the installed pack of a benchmark; null without one. Throws `bench_pack_too_large` and `bench_pack_link_rejected`. */
export async function readInstalled(
  folder: string | undefined,
  benchmark: Benchmark,
  maxBytes: number,
): Promise<(InstalledPack & { readonly bytes: Uint8Array }) | null> {
  const pack = await findInstalled(folder, benchmark)
  if (pack === null || folder === undefined) return null
  if (pack.sizeBytes > maxBytes) {
    throw LEARN_ERRORS.bench_pack_too_large(`the installed file ${pack.file} has more than ${maxBytes} bytes`)
  }
  return { ...pack, bytes: await readFile(join(folder, pack.file)) }
}
