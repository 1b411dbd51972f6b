import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { renderAsync } from '@resvg/resvg-js'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'

/** A picture that was rendered. */
export interface Picture {
  readonly png: Uint8Array
  /** Digest of what it shows. */
  readonly digest: string
}

/** Renders pictures, each once. */
export interface Pictures {
  /** Renders SVG as PNG. Throws `busy` when too many others wait. */
  render(svg: string): Promise<Picture>
}

/** Pictures that are kept; each takes some 30 kilobytes. */
const MAX_KEPT = 256
/** Pictures that may wait; one takes about 50 ms. */
const MAX_WAITING = 20

const FONTS = [
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
].map((url) => fileURLToPath(url))

/** Opens the pictures. They are rendered one at a time, in a thread of libuv, with the fonts of the package only. */
export function createPictures(): Pictures {
  const kept = new LRUCache<string, Promise<Picture>>({ max: MAX_KEPT })
  const inTurn = pLimit(1)
  return {
    async render(svg) {
      const digest = createHash('sha256').update(svg).digest('base64url')
      const known = kept.get(digest)
      if (known) return await known
      if (inTurn.pendingCount >= MAX_WAITING)
        throw KERNEL_ERRORS.busy('too many pictures are being drawn', { retryAfterS: 1 })
      const rendering = inTurn(async () => ({ png: await pngOf(svg), digest }))
      kept.set(digest, rendering)
      rendering.catch(() => kept.delete(digest))
      return await rendering
    },
  }
}

async function pngOf(svg: string): Promise<Uint8Array> {
  const image = await renderAsync(svg, {
    font: { loadSystemFonts: false, fontFiles: FONTS, defaultFontFamily: 'DejaVu Sans' },
  })
  return image.asPng()
}
