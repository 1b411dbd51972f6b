import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ADAPTER_FILES, readAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel, type OpenedBase } from '../../../core/model/files/base-model.ts'
import { adapterHash } from '../../../core/model/files/lora-adapter.ts'
import type { AdapterRef } from '../../../core/model/generation/generator.ts'
import { usageError } from '../../cli-error.ts'

/** A base out of a folder, and the adapter that was named with it. */
export interface ModelFolders {
  readonly base: OpenedBase
  readonly adapter: AdapterRef | undefined
}

/**
 * Opens the folders that a command names. Throws `CliError` for a path that is not a folder, `invalid_model`,
 * `invalid_adapter`.
 */
export async function openModelFolders(flags: {
  readonly base: string
  readonly adapter?: string
}): Promise<ModelFolders> {
  const found = await stat(flags.base).catch(() => undefined)
  if (found?.isDirectory() !== true) throw usageError(`${flags.base} is not a folder`)
  const base = await openBaseModel(flags.base)
  if (flags.adapter === undefined) return { base, adapter: undefined }
  const adapter = readAdapter(await readAdapterFolder(flags.adapter), base.model.config)
  return { base, adapter: { hash: adapterHash(adapter), adapter } }
}

/** Reads the files of an adapter out of a folder. Throws `CliError`. */
export async function readAdapterFolder(directory: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  for (const file of ADAPTER_FILES) {
    const path = join(directory, file)
    files.set(
      file,
      await readFile(path).catch((cause: unknown) => {
        throw usageError(`cannot read ${path}`, cause)
      }),
    )
  }
  return files
}
