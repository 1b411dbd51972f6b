import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { PublicJwk } from '../../core/ledger/keys/jwk.ts'
import { usageError } from '../cli-error.ts'

const ProfileSchema = z.object({
  url: z.url().optional(),
  api_key: z.string().optional(),
  tenant: z.object({ id: z.string(), name: z.string(), plan: z.string() }).optional(),
  /** Keys whose signatures `svc verify` believes. */
  pinned_keys: z.array(PublicJwk).default([]),
})

/** Settings that the CLI stores between calls. */
export type Profile = z.infer<typeof ProfileSchema>

/** The profile of a folder; an absent one is empty. Throws `CliError` when it is not readable as one. */
export async function readProfile(folder: string): Promise<Profile> {
  const text = await readFile(profilePath(folder), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw usageError(`cannot read ${profilePath(folder)}`, error)
  })
  if (text === undefined) return { pinned_keys: [] }
  try {
    return ProfileSchema.parse(JSON.parse(text))
  } catch (error) {
    throw usageError(`${profilePath(folder)} is damaged: remove it and sign in again with svc login`, error)
  }
}

/** Replaces the profile in one step; only its owner may read it. */
export async function writeProfile(folder: string, profile: Profile): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${profilePath(folder)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(profile, undefined, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, profilePath(folder))
}

/** The pinned keys with new ones added; a key stays pinned until the user removes it. */
export function pinKeys(pinned: readonly PublicJwk[], added: readonly PublicJwk[]): PublicJwk[] {
  const known = new Set(pinned.map(({ kid }) => kid))
  return [...pinned, ...added.filter(({ kid }) => !known.has(kid))]
}

/** Returns the path of the profile in a folder. */
export function profilePath(folder: string): string {
  return join(folder, 'config.json')
}
