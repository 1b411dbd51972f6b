import { isLeafMember, type LeafMember } from '../../runtime/composite/places.ts'

/** Members whose digests make the CID: the same content gives the same bytes on every machine and at any time. */
export const CONTENT_MEMBERS = [
  'recipes.json',
  'weights.bin',
  'adapter_config.json',
  'adapter_model.safetensors',
  'verifier.json',
  'evals.json',
  'rows.json',
  'certificate.json',
  'capability.json',
] as const
/** Members that differ between builds: outside the CID, covered by the signature. */
export const OPERATIONAL_MEMBERS = [
  'build.json',
  'evidence.json',
  'training.json',
  'training.svg',
  'receipt.json',
] as const
/** The two members that hold the others together; neither can list itself. */
export const SEAL_MEMBERS = ['manifest.json', 'signature.sig'] as const

export type ContentMember = (typeof CONTENT_MEMBERS)[number] | LeafMember
export type OperationalMember = (typeof OPERATIONAL_MEMBERS)[number]
export type SealMember = (typeof SEAL_MEMBERS)[number]
/** A member that the manifest lists. */
export type ListedMember = ContentMember | OperationalMember
export type MemberName = ListedMember | SealMember

const ROLES = {
  'recipes.json': 'recipes',
  'weights.bin': 'weights',
  'adapter_config.json': 'adapter-config',
  'adapter_model.safetensors': 'adapter-weights',
  'verifier.json': 'verifier',
  'evals.json': 'evals',
  'rows.json': 'rows',
  'certificate.json': 'certificate',
  'capability.json': 'capability',
  'build.json': 'build',
  'evidence.json': 'evidence',
  'training.json': 'training',
  'training.svg': 'training-curve',
  'receipt.json': 'receipt',
} as const satisfies Record<Exclude<ListedMember, LeafMember>, string>

/** Returns the role of a member in the manifest's table. */
export function roleOf(name: ListedMember): string {
  return isLeafMember(name) ? 'leaf-weights' : ROLES[name]
}

/** The members that the manifest lists, in its order; those with weights of leaves follow `weights.bin`. */
export const LISTED_MEMBERS = [...CONTENT_MEMBERS, ...OPERATIONAL_MEMBERS] as const

/** Every member with a fixed name, in the order of the archive. */
const MEMBER_ORDER = ['manifest.json', ...LISTED_MEMBERS, 'signature.sig'] as const

/**
 * Members that only some archives have: the weights of a classifier or a tabular model, an adapter and how it was
 * trained, rows besides the evaluated ones, the certificate of a build with a risk.
 */
export const OPTIONAL_MEMBERS: readonly MemberName[] = [
  'weights.bin',
  'adapter_config.json',
  'adapter_model.safetensors',
  'rows.json',
  'certificate.json',
  'training.json',
  'training.svg',
]

/** Members that every archive has. */
export const REQUIRED_MEMBERS: readonly MemberName[] = MEMBER_ORDER.filter((name) => !OPTIONAL_MEMBERS.includes(name))

/** True when an archive may have a member of this name. */
export function isMemberName(name: string): name is MemberName {
  return isLeafMember(name) || MEMBER_ORDER.some((known) => known === name)
}

/** True when the member counts towards the CID. */
export function isContentMember(name: string): name is ContentMember {
  return isLeafMember(name) || CONTENT_MEMBERS.some((known) => known === name)
}

/** True when the manifest lists members of this name. */
export function isListedMember(name: string): name is ListedMember {
  return isLeafMember(name) || LISTED_MEMBERS.some((known) => known === name)
}

/**
 * Returns members in the order of the archive: the manifest first, the signature last, weights of leaves
 * after `weights.bin` by their names.
 */
export function inMemberOrder<Name extends MemberName>(names: Iterable<Name>): readonly Name[] {
  const placeOf = (name: MemberName): number =>
    isLeafMember(name) ? MEMBER_ORDER.indexOf('weights.bin') + 0.5 : MEMBER_ORDER.indexOf(name)
  return [...names].sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
}
