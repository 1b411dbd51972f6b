/** Width and height of an image, pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Reads the size that the header of a PNG, JPEG, GIF or WebP states; null for other bytes, and where the bytes end before it.
 * Sources: PNG 1.2 §11.2.2, JPEG (ITU-T T.81) §B.2.2, GIF89a §18, and the WebP container.
 */
export function imageSize(bytes: Buffer): ImageSize | null {
  try {
    return pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
  } catch (error) {
    // A header that is cut off.
    if (error instanceof RangeError) return null
    throw error
  }
}

function pngSize(bytes: Buffer): ImageSize | null {
  if (bytes.toString('latin1', 0, 8) !== '\u0089PNG\r\n\u001A\n') return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): ImageSize | null {
  if (!/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return null
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function webpSize(bytes: Buffer): ImageSize | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X': {
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    }
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3f_ff) + 1, height: ((packed >>> 14) & 0x3f_ff) + 1 }
    }
    case 'VP8 ': {
      return { width: bytes.readUInt16LE(26) & 0x3f_ff, height: bytes.readUInt16LE(28) & 0x3f_ff }
    }
    default: {
      return null
    }
  }
}

/** Frames of JPEG begin with one of these markers; the others in their range are tables. */
const TABLES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

function jpegSize(bytes: Buffer): ImageSize | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    // Filled up with 0xff, and markers that stand alone.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (marker >= 0xc0 && marker <= 0xcf && !TABLES.has(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    } else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}
