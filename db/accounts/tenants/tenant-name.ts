/** Returns the first part of a tenant's name: lower-case letters, digits and dashes. */
export function slugOf(name: string | undefined, email: string): string {
  const slug = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 32)
      .replace(/^-+|-+$/g, '')
  return slug(name ?? '') || slug(email.replace(/@.*$/, '')) || 'user'
}
