import type { Language } from './language.ts';

export const galician: Language = {
  tag: 'gl',
  name: 'Galician',
  code: 'código*|clave*|pin',
  oneTime:
    'código de seguridade|código de acceso|código dun só uso|código de inicio de sesión|contrasinal dun só uso|dun só uso|dun uso único|de uso único',
  password: 'contrasinal*',
  verify: 'verific*|confirm*|activa*|valid*|verifiq*|active a|activar',
  signIn: 'iniciar sesión|inicia sesión|acceder|rexistr*',
  reset: 'restabl*|restaur*|recuper*|novo contrasinal|esquec*',
  invite: 'convid*|convite*|unirse|únete|aceptar|acept*',
  unsubscribe: 'cancelar a subscrición|darse de baixa|deixar de recibir',
  enter: 'introduce|introduza|escribe|usa|utiliza',
  expires: 'caduca*|válido',
  number: 'pedido*|factura*|teléfono*|código postal|importe|total|referencia*|reserva*|conta',
  offer: 'desconto*|cupón*',
  unlock: 'desbloqu*',
  decline: 'rexeit*|rexeita|declin*',
  look: 'revis*|comprob*',
  signUp: 'rexistr*|inscri*|inscrev*|inscrib*|crear unha conta|crear conta',
  link: 'ligazón*|ligazóns|enlace*',
  account: 'conta|contas|usuari*',
  address: 'correo*',
  or: 'ou',
  here: 'aquí|prema aquí|fai clic aquí|faga clic aquí|preme aquí|continuar|seguinte',
};
