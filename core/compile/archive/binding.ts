import type { ChainStep, ChainSubject } from '../../ledger/receipts/chain.ts'
import { hashJson, sha256, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import type { MemberHashes } from './cid.ts'
import { isLeafMember } from '../runtime/composite/places.ts'
import { isContentMember } from './members/members.ts'

/** Members beside the content that the artifact hash covers. */
const COVERED: readonly string[] = ['build.json', 'evidence.json', 'training.json', 'training.svg']

/** Returns the digests of the members that the artifact hash covers, by name. */
export function hashArtifact(members: ReadonlyMap<string, Uint8Array>): MemberHashes {
  const hashes: Record<string, Sha256> = {}
  for (const [name, bytes] of members) if (isContentMember(name) || COVERED.includes(name)) hashes[name] = sha256(bytes)
  return hashes
}

/**
 * The artifact hash: SHA-256 over the RFC 8785 form of `{"hashes": {…}}` of content members, build.json, evidence.json and,
 * where they are there, training.json and training.svg.
 */
export function artifactHash(hashes: MemberHashes): Sha256 {
  return hashJson({ hashes })
}

/** Returns the subject of each step in a build's chain, from the digests of the members and the facts in build.json. */
export function chainSubjects(
  hashes: MemberHashes,
  build: { readonly task: string; readonly seed_provenance: JsonObject },
  evalSetHash: Sha256,
): Readonly<Record<ChainStep, ChainSubject>> {
  return {
    task: { task: hashJson(build.task) },
    seeds: { seed_provenance: hashJson(build.seed_provenance) },
    recipes: pick(hashes, [
      'recipes.json',
      'weights.bin',
      ...Object.keys(hashes).filter(isLeafMember),
      'adapter_config.json',
      'adapter_model.safetensors',
    ]),
    evals: {
      ...pick(hashes, ['verifier.json', 'evals.json', 'rows.json', 'certificate.json']),
      eval_set: evalSetHash,
    },
    package: pick(hashes, ['capability.json', 'build.json', 'evidence.json', 'training.json', 'training.svg']),
  }
}

function pick(hashes: MemberHashes, names: readonly string[]): ChainSubject {
  return Object.fromEntries(
    names.flatMap((name): [string, Sha256][] => {
      const hash = hashes[name]
      return hash === undefined ? [] : [[name, hash]]
    }),
  )
}
