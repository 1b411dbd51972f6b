/** Leaves room for something behind it, within the 48 that a caller may give. */
const MAX_SLUG_CHARS = 43

/** What a team is called in addresses, made of its name. */
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
