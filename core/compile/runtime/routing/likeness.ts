import type { InputViews, View } from './input-views.ts'
import type { Sketch } from './sketch.ts'

/** The similarity of an input to the train inputs of one concept, in one view. */
interface ViewLikeness {
  /** Mean share of the train inputs that have a feature of the input, 0 to 1. */
  readonly typicality: number
  /** The same in standard deviations from that of the train inputs among themselves, cut off at -6 and 3. */
  readonly deviations: number
  /** Share of the input's features that no train input has. */
  readonly unknown: number
  /** Share of the features of nearly all train inputs that the input has too. */
  readonly core: number
}

/** The similarity of an input to the train inputs of one concept. */
export type Likeness = Readonly<Record<View, ViewLikeness>> & {
  /** True when a train input has the form of the input as a whole. */
  readonly hasWhole: boolean
  /** Share of the train inputs whose form as a whole another one has too. */
  readonly repeated: number
}

/** Sketches by place, from feature to the sketches that have it: one look for each feature of an input. */
export interface SketchIndex {
  /** Returns the likeness of an input to each sketch, by place; null for a sketch of no inputs. */
  compare(input: InputViews): readonly (Likeness | null)[]
}

/** A feature of at least this share of the train inputs belongs to their core. */
const CORE_SHARE = 0.9
/** Smallest deviation that is divided by: a few equal inputs have none. */
const LEAST_DEVIATION = 0.03
/** Sketches that are indexed before other work gets a turn. */
const SKETCHES_PER_TURN = 10

/** Indexes sketches, in turns with other work. */
export async function indexSketches(sketches: readonly (Sketch | null)[]): Promise<SketchIndex> {
  const postings: Readonly<Record<View, Postings>> = {
    content: await postingsOf(sketches, 'content'),
    form: await postingsOf(sketches, 'form'),
  }
  const cores: Readonly<Record<View, readonly number[]>> = {
    content: sketches.map((sketch) => coreSize(sketch, 'content')),
    form: sketches.map((sketch) => coreSize(sketch, 'form')),
  }
  const compareView = (input: InputViews, view: View): readonly (ViewLikeness | null)[] => {
    const found = postings[view]
    const sums = new Float64Array(sketches.length)
    const known = new Uint32Array(sketches.length)
    const core = new Uint32Array(sketches.length)
    for (const hash of input[view]) {
      const list = found.get(hash)
      if (list === undefined) continue
      for (let at = 0; at < list.length; at += 2) {
        const place = list[at] ?? 0
        const share = list[at + 1] ?? 0
        sums[place] = (sums[place] ?? 0) + share
        known[place] = (known[place] ?? 0) + 1
        if (share >= CORE_SHARE) core[place] = (core[place] ?? 0) + 1
      }
    }
    const features = Math.max(1, input[view].size)
    return sketches.map((sketch, place) => {
      if (sketch === null || sketch.inputs === 0) return null
      const { mean, deviation } = sketch[view]
      const typicality = (sums[place] ?? 0) / features
      const deviations = (typicality - mean) / Math.max(LEAST_DEVIATION, deviation)
      const coreFeatures = cores[view][place] ?? 0
      return {
        typicality,
        deviations: Math.max(-6, Math.min(3, deviations)),
        unknown: 1 - (known[place] ?? 0) / features,
        core: coreFeatures === 0 ? 0.5 : (core[place] ?? 0) / coreFeatures,
      }
    })
  }
  return {
    compare(input) {
      const content = compareView(input, 'content')
      const form = compareView(input, 'form')
      const same = placesOf(postings.form, input.whole)
      return sketches.map((sketch, place) => {
        const [ofContent, ofForm] = [content[place], form[place]]
        if (sketch === null || !ofContent || !ofForm) return null
        return { content: ofContent, form: ofForm, hasWhole: same.has(place), repeated: sketch.repeated }
      })
    },
  }
}

/** For each feature the places of the sketches that have it, each followed by the share of their inputs. */
type Postings = ReadonlyMap<number, readonly number[]>

async function postingsOf(sketches: readonly (Sketch | null)[], view: View): Promise<Postings> {
  const postings = new Map<number, number[]>()
  for (const [place, sketch] of sketches.entries()) {
    if (sketch === null) continue
    if (place % SKETCHES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    const { hashes, counts } = sketch[view]
    for (const [at, hash] of hashes.entries()) {
      const share = (counts[at] ?? 0) / Math.max(1, sketch.inputs)
      const list = postings.get(hash)
      if (list === undefined) postings.set(hash, [place, share])
      else list.push(place, share)
    }
  }
  return postings
}

function placesOf(postings: Postings, hash: number): ReadonlySet<number> {
  return new Set((postings.get(hash) ?? []).filter((_, at) => at % 2 === 0))
}

function coreSize(sketch: Sketch | null, view: View): number {
  if (sketch === null) return 0
  return sketch[view].counts.filter((count) => count / Math.max(1, sketch.inputs) >= CORE_SHARE).length
}
