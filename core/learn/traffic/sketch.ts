/** Characters of a shingle: a run of the text that is compared. */
const SHINGLE_CHARS = 4
/** Hashes of a sketch; the likeness of two sketches has a standard error of 0.04 at most. */
const HASHES = 128
/** Two templates of at least this likeness are one task. */
export const ALIKE = 0.8

/**
 * The MinHash sketch of a text (Broder 1997): for each of 128 hash functions the smallest hash of the text's shingles. 512
 * bytes, from which the text cannot be read.
 */
export function sketchOf(text: string): Buffer {
  const smallest = new Uint32Array(HASHES).fill(0xff_ff_ff_ff)
  for (const shingle of shinglesOf(text)) {
    for (let i = 0; i < HASHES; i++) {
      const value = mixed(shingle ^ seedOf(i))
      if (value < (smallest[i] ?? 0)) smallest[i] = value
    }
  }
  const sketch = Buffer.alloc(HASHES * 4)
  for (const [i, value] of smallest.entries()) sketch.writeUInt32LE(value, i * 4)
  return sketch
}

/** The estimated Jaccard likeness of the shingles of two texts, 0 to 1, by their sketches. */
export function likenessOf(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [viewOf(one), viewOf(other)]
  let same = 0
  for (let at = 0; at < HASHES * 4; at += 4) if (a.getUint32(at, true) === b.getUint32(at, true)) same++
  return same / HASHES
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** The hashes of all shingles of a text; of a shorter text the hash of the whole. */
export function shinglesOf(text: string): ReadonlySet<number> {
  const shingles = new Set<number>()
  for (let at = 0; at === 0 || at + SHINGLE_CHARS <= text.length; at++) {
    // FNV-1a over the characters' codes.
    let hash = 0x81_1c_9d_c5
    for (let i = at; i < Math.min(at + SHINGLE_CHARS, text.length); i++) {
      hash = Math.imul(hash ^ (text.codePointAt(i) ?? 0), 0x01_00_01_93)
    }
    shingles.add(hash >>> 0)
  }
  return shingles
}

function seedOf(place: number): number {
  return mixed(Math.imul(place + 1, 0x9e_37_79_b1))
}

/** The finalizer of MurmurHash3: each bit of the input changes half of the output's. */
function mixed(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35)
  return (hash ^ (hash >>> 16)) >>> 0
}
