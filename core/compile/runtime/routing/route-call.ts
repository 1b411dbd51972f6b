import type { Json } from '../../../kernel/json/json.ts'
import { probabilityOf, type RoutingWeights } from './classifier.ts'
import { matchOf, signalsOf, type ConceptEvidence } from './evidence.ts'
import { viewsOf } from './input-views.ts'
import { indexSketches } from './likeness.ts'
import { indexQueries, type QueryMatch } from './query-match.ts'
import type { Sketch } from './sketch.ts'

/** A concept as far as calls are routed to it. */
export interface RoutedConcept {
  /** The words about it: its name and its task. */
  readonly text: string
  /** Null for a version without one: then the query alone decides. */
  readonly sketch: Sketch | null
}

/** A concept that a call may be for. */
export interface Candidate<Concept> {
  readonly concept: Concept
  /** Probability that the call is for it, 0 to 1. */
  readonly score: number
}

/** A step of a sequence: how well the query names it, and where. */
export interface NamedConcept<Concept> extends Candidate<Concept> {
  /** Place of the first word of the query that is about it. */
  readonly place: number
}

/** Concepts that calls can be routed to. */
export interface Router<Concept> {
  readonly concepts: readonly Concept[]
  /** Returns the candidates for an input under a query, the most probable first: those from the floor up. */
  byInput(call: { readonly query: string; readonly input: Json }): readonly Candidate<Concept>[]
  /** Returns the concepts that the query names, the best first: those from the floor up. */
  byQuery(query: string): readonly NamedConcept<Concept>[]
  /** Returns the evidence for each concept, by place. */
  evidence(call: { readonly query: string; readonly input: Json }): readonly ConceptEvidence[]
}

/**
 * A concept is asked from this probability up: about as many of the own inputs reach it as foreign ones stay below it
 * (`npm run bench -- compose`).
 */
const ROUTING_FLOOR = 0.4
/** A query names a concept when it holds at least this share of the words about it, rare ones counting more. */
const NAMED_FLOOR = 0.35

/** Opens a router over concepts. `weights` replaces the fitted ones while they are fitted. */
export async function openRouter<Concept extends RoutedConcept>(
  concepts: readonly Concept[],
  weights?: RoutingWeights,
): Promise<Router<Concept>> {
  const sketches = await indexSketches(concepts.map(({ sketch }) => sketch))
  const queries = indexQueries(concepts.map(({ text }) => text))
  const evidenceOf = (input: Json, matches: readonly QueryMatch[]): readonly ConceptEvidence[] => {
    const likeness = sketches.compare(viewsOf(input))
    return concepts.map((_, place) => ({
      likeness: likeness[place] ?? null,
      query: matches[place] ?? NO_MATCH,
    }))
  }
  const ranked = <C extends Candidate<Concept>>(candidates: readonly C[], floor: number): readonly C[] =>
    candidates.filter(({ score }) => score >= floor).toSorted((a, b) => b.score - a.score)
  return {
    concepts,
    byInput({ query, input }) {
      const matches = queries.match(query)
      const isAsked = matches.some(({ coverage }) => coverage > 0)
      const signals = signalsOf(evidenceOf(input, matches))
      return ranked(
        concepts.map((concept, place) => {
          const own = signals[place]
          const score = own ? probabilityOf(own, isAsked, weights) : matchOf(matches[place] ?? NO_MATCH)
          return { concept, score }
        }),
        ROUTING_FLOOR,
      )
    },
    byQuery(query) {
      const matches = queries.match(query)
      return ranked(
        concepts.map((concept, place) => {
          const { recall, firstPlace } = matches[place] ?? NO_MATCH
          return { concept, score: recall, place: firstPlace }
        }),
        NAMED_FLOOR,
      )
    },
    evidence({ query, input }) {
      return evidenceOf(input, queries.match(query))
    },
  }
}

const NO_MATCH: QueryMatch = { score: 0, coverage: 0, recall: 0, firstPlace: Infinity, unknownWords: 0 }
