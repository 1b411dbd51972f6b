import { createPictures, type Pictures } from './picture/pictures.ts'
import { createSharedContents, type SharedContents } from './shared-contents.ts'

/** What pages of share links are made of, kept in memory. */
export interface SharedParts {
  readonly contents: SharedContents
  readonly pictures: Pictures
}

/** Opens the parts. */
export function createSharedParts(): SharedParts {
  return { contents: createSharedContents(), pictures: createPictures() }
}
