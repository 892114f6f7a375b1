export { nearest, slipOf } from '../domain/nearest.ts';
