/**
 * Removes `__proto__` from every object of the process, so that a library that follows a caller's path of names cannot
 * change shared prototypes. Literals and `Object.getPrototypeOf` are not affected. Must run before any other code of a
 * process.
 */
export function forbidPrototypeAccess(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
}
