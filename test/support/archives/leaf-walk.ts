import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { fixedSigningKey } from './archives.ts'
import { documentOf, forge, openMembers, type Members } from './forge.ts'

/** A forgery that still verified: the leaf that was changed and what it was changed to. */
export interface Survivor {
  /** Member and place: `build.json: stages[].wall_ms`. */
  readonly leaf: string
  readonly change: string
}

/** The result of walking an archive. */
export interface Walk {
  readonly leaves: number
  readonly forgeries: number
  readonly survivors: readonly Survivor[]
}

/** The share of an archive that a walk changes. */
export interface WalkOptions {
  readonly recompute?: boolean
  readonly sampled?: number
  readonly perFact?: boolean
  readonly inside?: readonly string[]
  readonly withinMs?: number
}

type Place = readonly (string | number)[]

const STRIDE = 8
const PINNED = [toJwk(fixedSigningKey().publicKey)]

const WORDS = [
  ['cross_fit', 'holdout', 'test_rows', 'leave_one_out'],
  ['exact', 'number'],
  ['program', 'classifier', 'tabular', 'composite', 'lora', 'label'],
  ['label', 'none'],
  ['tenant_captured', 'tenant_given'],
  ['winner', 'beaten', 'refused'],
  ['done', 'skipped'],
  ['synthesizer', 'trainer', 'frontier'],
  ['no_teacher_configured', 'not_asked', 'asked'],
  ['text', 'mixed', 'extraction', 'number', 'boolean', 'list'],
  ['string', 'number', 'null'],
  ['exact', 'loose'],
]

/** The JSON members of an archive. */
export function jsonMembers(members: Members): readonly string[] {
  return [...members.keys()].filter((name) => /\.(json|sig)$/.test(name) && name !== 'adapter_config.json')
}

/**
 * Changes one leaf of one JSON member after the other, in each way that fits its value, seals the archive again with
 * the pinned key, and verifies it; each change alone and with all digests that the documents state of themselves brought
 * in line. `sampled` takes every n-th leaf only, `perFact` one leaf of each fact (of rows, stages and the like one item),
 * `inside` the leaves of these members; the walk ends after `withinMs`.
 */
export async function walkLeaves(
  archive: Members,
  { recompute = false, sampled = 1, perFact = false, inside, withinMs = Infinity }: WalkOptions = {},
): Promise<Walk> {
  const survivors: Survivor[] = []
  // Sealed once by the forger's key, so that nothing but the leaf differs afterwards.
  const genuine = await forge(archive, { changes: {}, isThorough: true })
  const members = await openMembers(genuine)
  const names = jsonMembers(members).filter((name) => inside === undefined || inside.includes(name))
  const all = names.flatMap((name) => {
    const places = placesOf(documentOf(members, name))
    return (perFact ? onePerFact(places) : places).map((place) => ({ name, place }))
  })
  // Every n-th leaf first, then the ones beside them: a walk that is cut short has still been everywhere.
  const taken = all.filter((_, i) => i % sampled === 0)
  const ordered = Array.from({ length: STRIDE }, (_, from) => taken.filter((_leaf, i) => i % STRIDE === from)).flat()
  const endsAt = performance.now() + withinMs
  let leaves = 0
  let forgeries = 0
  for (const { name, place } of ordered) {
    if (performance.now() > endsAt) break
    leaves++
    for (const [change, value] of mutationsOf(at(documentOf(members, name), place))) {
      let alone: Uint8Array | null = null
      for (const isThorough of [false, true]) {
        const forged = await forgeLeaf(members, name, place, value, isThorough)
        // What brings digests in line restores a changed digest: then nothing was forged.
        if (forged !== null && Buffer.compare(forged, genuine) === 0) continue
        forgeries++
        if (forged === null) continue
        // Where no digest depends on the leaf, both ways give the same bytes, which one look at judges.
        if (alone !== null && Buffer.compare(forged, alone) === 0) continue
        alone = forged
        const verify = recompute ? verifyByRecomputation : verifyArchive
        const { ok } = await verify(forged, { trustedKeys: PINNED })
        if (ok) survivors.push({ leaf: `${name}: ${pathOf(place)}`, change })
      }
    }
  }
  return { leaves, forgeries, survivors }
}

/** Of places that differ only in numbers of items, the last. */
function onePerFact(places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((place) => [pathOf(place), place])).values()]
}

/** The archive with one leaf changed; null when it cannot even be sealed. */
async function forgeLeaf(
  members: Members,
  name: string,
  place: Place,
  value: Json | undefined,
  isThorough: boolean,
): Promise<Uint8Array | null> {
  const change = (document: JsonObject): JsonObject => {
    const changed = replace(document, place, value)
    return isJsonObject(changed) ? changed : {}
  }
  return await forge(members, { changes: { [name]: change }, isThorough }).catch(() => null)
}

/** The places of all leaves: scalars, and lists and objects that hold none. */
function placesOf(value: Json | undefined, place: Place = []): readonly Place[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item, i) => placesOf(item, [...place, i]))
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...place, name]))
  }
  return [place]
}

function at(value: Json, place: Place): Json {
  return place.reduce<Json>((inner, step) => {
    if (Array.isArray(inner) && typeof step === 'number') return inner[step] ?? null
    return isJsonObject(inner) ? (inner[step] ?? null) : null
  }, value)
}

/** A copy of the value with another leaf; without it when the new one is undefined. */
function replace(value: Json, [step, ...rest]: Place, leaf: Json | undefined): Json | undefined {
  if (step === undefined) return leaf
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, i) => {
      const changed = i === step ? replace(item, rest, leaf) : item
      return changed === undefined ? [] : [changed]
    })
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
      const changed = name === step ? replace(inner, rest, leaf) : inner
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
}

/** Other values that a leaf could have, with what was done; undefined leaves it out. */
function mutationsOf(value: Json): readonly (readonly [string, Json | undefined])[] {
  const removed = ['removed', undefined] as const
  switch (typeof value) {
    case 'number': {
      const others = [value + 1, 0, 0.99].filter((other) => other !== value)
      return [...others.map((other) => [String(other), other] as const), removed]
    }
    case 'boolean':
      return [['turned round', !value], removed]
    case 'string':
      return [...otherTexts(value).map((text) => [text, text] as const), removed]
    default:
      return value === null
        ? [['0', 0], ['text', 'x'], removed]
        : [['an item', Array.isArray(value) ? [0] : { a: 0 }], removed]
  }
}

function otherTexts(text: string): readonly string[] {
  const words = [...new Set(WORDS.filter((group) => group.includes(text)).flat())].filter((word) => word !== text)
  if (words.length > 0) return words
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return [new Date(time + 1000).toISOString()]
  const last = text.at(-1) ?? ''
  // Digests, ids and keys keep their form: another last character of the same alphabet.
  if (/[0-9a-f]{16}$|_[0-9a-z]{26}$|[A-Za-z0-9_-]{43}$/.test(text))
    return [`${text.slice(0, -1)}${last === '0' ? '4' : '0'}`]
  return [`${text}x`]
}

/** A place as the format's page names it: without the number of an item. */
function pathOf(place: Place): string {
  return place
    .map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
    .join('')
    .replace(/^\./, '')
}
