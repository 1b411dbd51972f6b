import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { countParameters } from '../config/weight-names.ts'
import { readBaseConfig } from './inspect-base.ts'

/** A letter or digit first, so that a name is never a path that leads elsewhere. */
const BASE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** A base that can be named. */
export interface KnownBase {
  readonly name: string
  readonly directory: string
  readonly config: ModelConfig
  readonly parameters: number
}

/**
 * The folder of a base by its name, looked for in `folders` in their order. Throws `unknown_base_model`, which lists
 * the names that are known.
 */
export async function findBase(name: string, folders: readonly string[]): Promise<string> {
  if (BASE_NAME.test(name)) {
    for (const folder of folders) {
      if (await hasConfig(join(folder, name))) return join(folder, name)
    }
  }
  const known = (await listBases(folders)).map((base) => base.name)
  throw MODEL_ERRORS.unknown_base_model(
    `base model ${JSON.stringify(name.slice(0, 100))} is not known; known are ${known.join(', ') || 'none'}`,
    { details: { known } },
  )
}

/**
 * Returns the bases of all folders, sorted by name; of two with one name the first folder's. Reads only configs, and
 * skips folders whose config is not supported.
 */
export async function listBases(folders: readonly string[]): Promise<readonly KnownBase[]> {
  const bases = new Map<string, KnownBase>()
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!BASE_NAME.test(name) || bases.has(name)) continue
      const base = await describeBase(name, join(folder, name))
      if (base !== undefined) bases.set(name, base)
    }
  }
  return [...bases.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

async function describeBase(name: string, directory: string): Promise<KnownBase | undefined> {
  if (!(await hasConfig(directory))) return undefined
  try {
    const config = await readBaseConfig(directory)
    return { name, directory, config, parameters: countParameters(config) }
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

async function hasConfig(directory: string): Promise<boolean> {
  return await stat(join(directory, 'config.json')).then(
    (found) => found.isFile(),
    () => false,
  )
}
