import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../../core/kernel/json/json.ts'

const GOLDEN = fileURLToPath(new URL('../golden/', import.meta.url))

/** Small models that transformers and PEFT wrote, one for each family and way of tying. */
export const GOLDEN_BASES = ['llama-tied', 'llama-untied', 'qwen2', 'qwen3'] as const

export type GoldenBase = (typeof GOLDEN_BASES)[number] | 'qwen3-embedding'

/** The folder of a golden base; not to be written to. */
export function goldenFolder(name: GoldenBase): string {
  return join(GOLDEN, name)
}

/** A copy of a golden base that a test may damage. */
export interface BaseCopy {
  readonly folder: string
  /** Merges members into a JSON file. */
  change(file: string, members: JsonObject): Promise<void>
  remove(): Promise<void>
}

/** Copies a golden base into a folder of its own. */
export async function copyBase(name: GoldenBase): Promise<BaseCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-base-'))
  await cp(goldenFolder(name), folder, { recursive: true })
  return {
    folder,
    change: async (file, members) => {
      const before: JsonObject = JSON.parse(await readFile(join(folder, file), 'utf8'))
      await writeFile(join(folder, file), JSON.stringify({ ...before, ...members }))
    },
    remove: async () => {
      await rm(folder, { recursive: true, force: true })
    },
  }
}
