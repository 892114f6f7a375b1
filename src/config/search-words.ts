export { SEARCH_WORDS } from '../domain/search/words.ts';
