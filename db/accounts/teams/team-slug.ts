/** Leaves room for a suffix within the 48 characters that a caller may give. */
const MAX_SLUG_CHARS = 43

/** Derives a team's slug from its name. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^-+|-+$/g, '')
  return slug || 'team'
}
