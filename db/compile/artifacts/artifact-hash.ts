import type { Artifact } from './artifact.ts'

/** The hash that receipts name, out of the manifest of an artifact. */
export function artifactHashOf({ id, manifest }: Pick<Artifact, 'id' | 'manifest'>): string {
  const hash = manifest['artifact_hash']
  if (typeof hash !== 'string') throw new Error(`the manifest of ${id} names no artifact hash`)
  return hash
}
