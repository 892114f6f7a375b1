/** The version of the package. A test keeps it equal to that of package.json. */
export const VERSION = '0.1.0';
