/** A chunk by its document and its number in it. */
export interface ChunkPlace {
  readonly documentId: string
  readonly seq: number
}

/** A chunk with its place in each ranking that holds it, counted from 1. */
export interface FusedChunk extends ChunkPlace {
  readonly score: number
  readonly lexicalRank: number | null
  readonly vectorRank: number | null
}

/** The constant of the fusion: a larger one gives lower places more weight (Cormack, Clarke and Büttcher 2009). */
const RANK_OFFSET = 60

/** Joins two rankings by reciprocal rank fusion: the score of a chunk is the sum of 1 / (60 + rank) over both. */
export function fuseRankings(lexical: readonly ChunkPlace[], vectors: readonly ChunkPlace[]): readonly FusedChunk[] {
  const ranks = new Map<string, { place: ChunkPlace; lexicalRank: number | null; vectorRank: number | null }>()
  for (const [at, place] of lexical.entries()) {
    ranks.set(keyOf(place), { place, lexicalRank: at + 1, vectorRank: null })
  }
  for (const [at, place] of vectors.entries()) {
    const known = ranks.get(keyOf(place))
    if (known === undefined) ranks.set(keyOf(place), { place, lexicalRank: null, vectorRank: at + 1 })
    else known.vectorRank = at + 1
  }
  return [...ranks.values()]
    .map(({ place: { documentId, seq }, lexicalRank, vectorRank }) => ({
      documentId,
      seq,
      score: shareOf(lexicalRank) + shareOf(vectorRank),
      lexicalRank,
      vectorRank,
    }))
    .toSorted((a, b) => b.score - a.score || (a.lexicalRank ?? Infinity) - (b.lexicalRank ?? Infinity))
}

function shareOf(rank: number | null): number {
  return rank === null ? 0 : 1 / (RANK_OFFSET + rank)
}

function keyOf({ documentId, seq }: ChunkPlace): string {
  return `${documentId}/${seq}`
}
