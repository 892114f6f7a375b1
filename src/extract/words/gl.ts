import type { Language } from './language.ts';

export const galician: Language = {
  tag: 'gl',
  name: 'Galician',
  code: 'código*|clave*|pin',
  oneTime: 'código de seguridade|código de acceso|código dun só uso|código de inicio de sesión|contrasinal dun só uso',
  password: 'contrasinal*',
  verify: 'verific*|confirm*|activa*|valid*|verifiq*',
  signIn: 'iniciar sesión|inicia sesión|acceder|rexistr*',
  reset: 'restabl*|restaur*|recuper*|novo contrasinal|esquec*',
  invite: 'convid*|convite*|unirse|únete|aceptar|acept*',
  unsubscribe: 'cancelar a subscrición|darse de baixa',
  enter: 'introduce|introduza|escribe|usa|utiliza',
  expires: 'caduca*|válido',
  number: 'pedido*|factura*|teléfono*|código postal|importe|total|referencia*|reserva*|conta',
  offer: 'desconto*|cupón*',
};
