import { acceptanceContradiction } from '../schemas/acceptance.ts'
import type { Manifest } from '../members/documents.ts'
import { isLeafMember } from '../../runtime/composite/places.ts'
import {
  CONTENT_MEMBERS,
  isContentMember,
  isListedMember,
  LISTED_MEMBERS,
  roleOf,
  type ListedMember,
} from '../members/members.ts'

/** Members that exist exactly for some kinds of recipe. */
const MEMBERS_OF_KIND: Readonly<Partial<Record<ListedMember, readonly Manifest['artifact_class'][]>>> = {
  'weights.bin': ['classifier', 'tabular'],
  'adapter_config.json': ['lora'],
  'adapter_model.safetensors': ['lora'],
  'training.json': ['lora'],
  'training.svg': ['lora'],
}

/** A member that an archive may have, since `svc-2`. */
const FREE_MEMBERS: ReadonlySet<ListedMember> = new Set(['rows.json', 'certificate.json'])

/**
 * Returns the contradictions within a manifest in words; empty for a consistent one. Each follows from the manifest
 * alone, so a reader without the other members can check it.
 */
export function manifestContradictions(manifest: Manifest): readonly string[] {
  const { hashes, members, entry } = manifest
  const found: string[] = []
  for (const name of Object.keys(members)) {
    if (!isListedMember(name)) found.push(`members lists ${name}, which no archive has`)
    else if (members[name]?.role !== roleOf(name)) found.push(`members.${name} has another role`)
    if (isLeafMember(name) && manifest.artifact_class !== 'composite') found.push(`members lists ${name}`)
  }
  for (const name of LISTED_MEMBERS) {
    const kinds = FREE_MEMBERS.has(name) ? [] : MEMBERS_OF_KIND[name]
    const line = Object.hasOwn(members, name) ? members[name] : undefined
    const isDue = kinds === undefined || kinds.includes(manifest.artifact_class)
    const isFree = FREE_MEMBERS.has(name) && (manifest.spec === 'svc-2' || line === undefined)
    if (!isFree && isDue !== (line !== undefined)) found.push(`members ${isDue ? 'lacks' : 'lists'} ${name}`)
  }
  for (const name of [...CONTENT_MEMBERS, ...Object.keys({ ...members, ...hashes }).filter(isLeafMember)]) {
    if (members[name]?.sha256 !== hashes[name]) found.push(`hashes and members disagree about ${name}`)
  }
  for (const name of Object.keys(hashes)) {
    if (!isContentMember(name)) found.push(`hashes names ${name}, which is no content member`)
  }
  if (entry.kind !== manifest.artifact_class) found.push('artifact_class is not the kind of the entry')
  if (entry.sha256 !== hashes['recipes.json']) found.push('entry.sha256 is not the digest of recipes.json')
  const contradiction = acceptanceContradiction(manifest)
  if (contradiction !== null) found.push(contradiction)
  if (manifest.base_model !== 'none' && entry.kind !== 'lora') found.push('base_model is for adapters')
  return found
}
