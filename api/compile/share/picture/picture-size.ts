/** Pixels of the picture of a link, as previews ask for them. */
export const PICTURE_WIDTH = 1200
export const PICTURE_HEIGHT = 630
